#include "kernels/packed/build.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/parts/format_checks.hpp"

namespace spmv {
namespace {

/// Runs a step on the device and waits for it.
template <class Step, class OnHost>
void run_step(Queue& queue, const Step& step, OnHost on_host) {
  if (queue.takes_cuda_kernels())
    launch_build_cuda(step, queue.stream());
  else
    queue.run([step, on_host] { on_host(step); });
  queue.synchronize();
}

/// Heads, and bytes of both streams.
struct StreamSizes {
  offset heads = 0;
  offset col = 0;
  offset value = 0;
};

/// Gives every slice its place.
template <class T>
StreamSizes place_slices(std::vector<Slice>& slices, int b) {
  constexpr offset most = std::numeric_limits<std::uint32_t>::max();
  StreamSizes at;
  for (Slice& slice : slices) {
    if (at.heads > most || at.col / Slice::unit > most || at.value / Slice::unit > most)
      throw Error(ExitCode::memory, "the packed matrix is larger than 128 GiB: use more ranks");
    slice.head_at = static_cast<std::uint32_t>(at.heads);
    slice.col_at = static_cast<std::uint32_t>(at.col / Slice::unit);
    slice.value_at = static_cast<std::uint32_t>(at.value / Slice::unit);
    at.heads += slice.width();
    at.col += col_bytes(slice.columns(), slice.width());
    at.value += value_bytes<T>(slice.values(), slice.width(), b);
  }
  return at;
}

/// Of all patterns: so that they fit shared memory beside those of other thread blocks.
constexpr std::size_t most_pattern_bytes = 32 * 1024;

/// Whether every element of x can be named by an offset of 32 bits, in bytes.
template <class T>
bool has_short_offsets(lidx cols) {
  return static_cast<double>(cols) * sizeof(T) <= std::numeric_limits<std::uint32_t>::max();
}

/// Adds groups to a view whose slices are all diagonals of constant values, where these have few patterns.
template <class T>
void add_groups(Packed<T>& packed, const std::vector<Head<T>>& heads) {
  PackedView<T>& view = packed.view;
  const Patterns<T> patterns = find_patterns(packed.slices, heads, most_pattern_bytes / sizeof(Head<T>));
  if (patterns.group.empty()) return;
  view.pattern = packed.arrays.add(patterns.head);
  view.pattern_heads = static_cast<int>(patterns.head.size());
  view.group = packed.arrays.add(patterns.group);
  view.groups = static_cast<lidx>(patterns.group.size());
  // A product by groups reads these instead of slices and their own heads, which a boundary part is multiplied by.
  packed.unread_bytes += static_cast<double>(heads.size() * sizeof(Head<T>)) +
                         static_cast<double>(packed.slices.size() * sizeof(Slice));
}

template <class T>
Packed<T> pack(const std::vector<offset>& row_ptr, const std::vector<lidx>& col, const std::vector<T>& value,
               lidx cols, int b, lidx least_grouped, const std::shared_ptr<Backend>& backend) {
  const bool on_host = backend->runs_host_code();
  Packed<T> packed{DeviceArrays(backend), {}, {}, 0, 0};
  const auto block_rows = static_cast<lidx>(row_ptr.size() - 1);
  const lidx slices = (block_rows + slice_rows - 1) / slice_rows;
  const std::vector<T> dictionary = make_dictionary(value);

  DeviceArrays copies(backend);
  PackedView<T>& view = packed.view;
  view.dictionary = packed.arrays.add(dictionary);
  PackSource<T> source{};
  source.block_rows = block_rows;
  source.b = b;
  source.row_ptr = on_host ? row_ptr.data() : copies.add(row_ptr);
  source.col = on_host ? col.data() : copies.add(col);
  source.value = on_host ? value.data() : copies.add(value);
  source.dictionary = view.dictionary;
  source.dictionary_size = static_cast<int>(dictionary.size());

  const auto queue = backend->make_queue(Priority::normal);
  packed.slices.resize(static_cast<std::size_t>(slices));
  Slice* const device_slices = packed.arrays.template allocate<Slice>(packed.slices.size());
  run_step(*queue, Classify<T>{source, slices, device_slices}, [](const Classify<T>& step) {
#pragma omp parallel for schedule(dynamic, 64)
    for (lidx s = 0; s < step.slices; ++s) step.slice[s] = classify_slice(step.source, s);
  });
  download(*backend, packed.slices.data(), device_slices, packed.slices.size());
  const StreamSizes sizes = place_slices<T>(packed.slices, b);
  queue->copy(device_slices, packed.slices.data(), packed.slices.size() * sizeof(Slice), Copy::to_device);
  Head<T>* const heads = packed.arrays.template allocate<Head<T>>(static_cast<std::size_t>(sizes.heads));
  auto* const short_cols =
      packed.arrays.template allocate<unsigned char>(static_cast<std::size_t>(sizes.col));
  auto* const values = packed.arrays.template allocate<unsigned char>(static_cast<std::size_t>(sizes.value));
  queue->fill(short_cols, 0, static_cast<std::size_t>(sizes.col));
  queue->fill(values, 0, static_cast<std::size_t>(sizes.value));
  run_step(*queue, MakeHeads<T>{source, slices, device_slices, heads}, [](const MakeHeads<T>& step) {
#pragma omp parallel for schedule(dynamic, 64)
    for (lidx s = 0; s < step.slices; ++s) make_slice_heads(step.source, s, step.slice[s], step.head);
  });
  run_step(*queue, PackRows<T>{source, device_slices, heads, short_cols, values},
           [](const PackRows<T>& step) {
#pragma omp parallel for schedule(static)
             for (lidx row = 0; row < step.source.block_rows; ++row) pack_row(step, row);
           });

  std::vector<offset> elements_before{0};
  for (lidx s = 0; s < slices; ++s) {
    const Slice& slice = packed.slices[s];
    const offset last = std::min<offset>((offset{s} + 1) * slice_rows, block_rows);
    const offset elements = row_ptr[last] - row_ptr[offset{s} * slice_rows];
    elements_before.push_back(elements_before.back() + elements);
    packed.stored += offset{slice.width()} * slice_rows * b * b;
    const double bytes = static_cast<double>(col_bytes(slice.columns(), slice.width()) +
                                             value_bytes<T>(slice.values(), slice.width(), b));
    if (slice.width() > 0)
      packed.unread_bytes +=
          bytes * (1 - static_cast<double>(elements) / (offset{slice.width()} * slice_rows));
    if (slice.even()) packed.unread_bytes += slice_rows * sizeof(lidx);
  }
  view.only_heads = std::all_of(packed.slices.begin(), packed.slices.end(), [](const Slice& slice) {
    return slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant;
  });
  view.b = b;
  view.block_rows = block_rows;
  view.slices = slices;
  view.slice = device_slices;
  view.head = heads;
  view.col = short_cols;
  view.value = values;
  view.row_length = packed.arrays.add(row_lengths(row_ptr));
  if (on_host) view.slice_elements = packed.arrays.add(elements_before);
  if (queue->takes_cuda_kernels() && slices >= least_grouped && view.only_heads &&
      has_short_offsets<T>(cols)) {
    std::vector<Head<T>> all(static_cast<std::size_t>(sizes.heads));
    download(*backend, all.data(), heads, all.size());
    add_groups(packed, all);
  }
  return packed;
}

}  // namespace

template <class T>
Packed<T> pack_elements(const Elements<T>& elements, const std::shared_ptr<Backend>& backend) {
  constexpr lidx least_grouped = std::numeric_limits<lidx>::max();  // blocks are not
  Packed<T> packed =
      pack(elements.row_ptr, elements.col, elements.value, elements.cols, elements.b, least_grouped, backend);
  packed.view.rows = elements.rows;
  packed.view.cols = elements.cols;
  packed.view.holes = elements.holes;
  return packed;
}

template <class T>
Packed<T> pack_single_elements(const Csr<T>& block, lidx least_grouped,
                               const std::shared_ptr<Backend>& backend) {
  Packed<T> packed = pack(block.row_ptr, block.col, block.value, block.cols, 1, least_grouped, backend);
  packed.view.rows = block.rows;
  packed.view.cols = block.cols;
  return packed;
}

template <class T>
Elements<T> pack_and_unpack(const Csr<T>& block, int b, const std::shared_ptr<Backend>& backend,
                            std::vector<Slice>* slices) {
  Elements<T> elements;
  if (b == 1)
    elements = {block.rows, block.cols, 1, false, block.row_ptr, block.col, block.value};
  else
    elements = cover_with_blocks(block, b);
  const Packed<T> packed = pack_elements(elements, backend);
  if (slices != nullptr) *slices = packed.slices;
  DeviceArrays arrays(backend);
  const Unpack<T> step{packed.view, arrays.add(elements.row_ptr),
                       arrays.template allocate<lidx>(elements.col.size()),
                       arrays.template allocate<T>(elements.value.size())};
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(step.col, 0xee, elements.col.size() * sizeof(lidx));
  queue->fill(step.value, 0xee, elements.value.size() * sizeof(T));
  run_step(*queue, step, [](const Unpack<T>& s) { unpack_host(s); });
  download(*backend, elements.col.data(), step.col, elements.col.size());
  download(*backend, elements.value.data(), step.value, elements.value.size());
  return elements;
}

SPMV_INSTANTIATE(pack_elements);
SPMV_INSTANTIATE(pack_single_elements);
SPMV_INSTANTIATE(pack_and_unpack);

}  // namespace spmv
