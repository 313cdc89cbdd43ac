#include "kernels/packed/build.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/packed/cover.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/launch/build_step.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

constexpr lidx no_groups = std::numeric_limits<lidx>::max();
constexpr const char* instead = "use format csr";

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
constexpr std::size_t most_pattern_bytes = std::size_t{32} * 1024;

/// Whether every element of vectors so long can be named by an offset of 32 bits, in bytes.
template <class T>
bool has_short_offsets(lidx length) {
  return static_cast<double>(length) * sizeof(T) <= std::numeric_limits<std::uint32_t>::max();
}

/// Whether so many slices are diagonals of constant values that groups of them may be worth it.
bool may_have_groups(const std::vector<Slice>& slices) {
  double all = 0, heads_only = 0;
  for (const Slice& slice : slices) {
    all += slice.width();
    if (has_heads_only(slice)) heads_only += slice.width();
  }
  return heads_only >= least_grouped_share * all;
}

/// Adds groups to a view where most of its slices have few patterns.
template <class T>
void add_groups(Packed<T>& packed, const std::vector<Head<T>>& heads) {
  PackedView<T>& view = packed.view;
  const Patterns<T> patterns = find_patterns(packed.slices, heads, most_pattern_bytes / sizeof(Head<T>));
  if (patterns.group.empty()) return;
  view.pattern = packed.arrays.add(patterns.head);
  view.pattern_heads = static_cast<int>(patterns.head.size());
  view.group = packed.arrays.add(patterns.group);
  view.groups = static_cast<lidx>(patterns.group.size());
  view.other = packed.arrays.add(patterns.other);
  view.others = static_cast<lidx>(patterns.other.size());
  // A product by groups reads these instead of slices and their own heads, which a boundary part is multiplied by.
  std::size_t others_heads = 0;
  for (const lidx s : patterns.other)
    others_heads += static_cast<std::size_t>(packed.slices[static_cast<std::size_t>(s)].width());
  packed.unread_bytes += static_cast<double>((heads.size() - others_heads) * sizeof(Head<T>)) +
                         static_cast<double>((packed.slices.size() - patterns.other.size()) * sizeof(Slice));
}

/// Packs what is on the device. `row_ptr`: elements before every block row; `cols`: elements of x.
template <class T>
Packed<T> pack(PackSource<T> source, const std::vector<offset>& row_ptr, const std::vector<T>& dictionary,
               lidx cols, lidx least_grouped, const std::shared_ptr<Backend>& backend) {
  const bool on_host = backend->runs_host_code();
  Packed<T> packed{DeviceArrays(backend), {}, {}, 0, 0};
  const auto block_rows = source.from.rows;
  const lidx slices = (block_rows + slice_rows - 1) / slice_rows;
  const int b = source.b;
  PackedView<T>& view = packed.view;
  view.dictionary = packed.arrays.add(dictionary);
  source.dictionary = view.dictionary;
  source.dictionary_size = static_cast<int>(dictionary.size());

  const auto queue = backend->make_queue(Priority::normal);
  packed.slices.resize(static_cast<std::size_t>(slices));
  auto* const device_slices = packed.arrays.template allocate<Slice>(packed.slices.size());
  run_step(*queue, Classify<T>{source, slices, device_slices}, [](const Classify<T>& step) {
#pragma omp parallel for schedule(dynamic, 64)
    for (lidx s = 0; s < step.slices; ++s) step.slice[s] = classify_slice(step.source, s);
  });
  download(*backend, packed.slices.data(), device_slices, packed.slices.size());
  const StreamSizes sizes = place_slices<T>(packed.slices, b);
  queue->copy(device_slices, packed.slices.data(), packed.slices.size() * sizeof(Slice), Copy::to_device);
  auto* const heads = packed.arrays.template allocate<Head<T>>(static_cast<std::size_t>(sizes.heads));
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
             for (lidx row = 0; row < step.source.from.rows; ++row) pack_row(step, row);
           });

  std::vector<offset> elements_before{0};
  for (lidx s = 0; s < slices; ++s) {
    const Slice& slice = packed.slices[s];
    const offset last = std::min<offset>((offset{s} + 1) * slice_rows, block_rows);
    const offset elements = row_ptr[last] - row_ptr[offset{s} * slice_rows];
    if (on_host) elements_before.push_back(elements_before.back() + elements);
    packed.stored += offset{slice.width()} * slice_rows * b * b;
    const auto bytes = static_cast<double>(col_bytes(slice.columns(), slice.width()) +
                                           value_bytes<T>(slice.values(), slice.width(), b));
    if (slice.width() > 0)
      packed.unread_bytes +=
          bytes * (1 - static_cast<double>(elements) / (offset{slice.width()} * slice_rows));
    if (slice.even()) packed.unread_bytes += slice_rows * sizeof(lidx);
  }
  view.only_heads = std::all_of(packed.slices.begin(), packed.slices.end(), has_heads_only);
  view.b = b;
  view.block_rows = block_rows;
  view.slices = slices;
  view.slice = device_slices;
  view.head = heads;
  view.col = short_cols;
  view.value = values;
  view.row_length = packed.arrays.add(row_lengths(row_ptr));
  if (on_host) view.slice_elements = packed.arrays.add(elements_before);
  if (queue->takes_cuda_kernels() && slices >= least_grouped && may_have_groups(packed.slices) &&
      has_short_offsets<T>(std::max<lidx>(cols, view.block_rows))) {
    std::vector<Head<T>> all(static_cast<std::size_t>(sizes.heads));
    download(*backend, all.data(), heads, all.size());
    add_groups(packed, all);
  }
  return packed;
}

/// Bytes of all arrays if nothing could be stored shorter.
template <class T>
double full_bytes(const std::vector<offset>& row_ptr, std::size_t element_bytes) {
  const offset rows = static_cast<offset>(row_ptr.size()) - 1;
  double bytes = static_cast<double>(rows) * sizeof(lidx);
#pragma omp parallel for schedule(static) reduction(+ : bytes)
  for (offset first = 0; first < rows; first += slice_rows) {
    offset width = 0;
    for (offset row = first; row < std::min(first + slice_rows, rows); ++row)
      width = std::max(width, row_ptr[row + 1] - row_ptr[row]);
    bytes +=
        static_cast<double>(width) * (slice_rows * static_cast<double>(element_bytes) + sizeof(Head<T>)) +
        sizeof(Slice);
  }
  return bytes;
}

template <class T>
Packed<T> pack_single_elements(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                               const std::shared_ptr<Backend>& backend) {
  const std::vector<offset> moved =
      order.rows.empty() ? std::vector<offset>{} : row_ptr_in_order(block.row_ptr, order.rows);
  const std::vector<offset>& row_ptr = order.rows.empty() ? block.row_ptr : moved;
  require_memory(*backend, request.format,
                 {full_bytes<T>(row_ptr, sizeof(T) + sizeof(lidx)) + request.more_bytes +
                      BlockOnDevice<T>::bytes(block, order, *backend),
                  0},
                 instead);
  const BlockOnDevice<T> copy(block, order, backend);
  const std::vector<T> dictionary =
      find_dictionary(block.value, false, copy.source().value, block.nonzeros(), backend);
  return pack<T>({copy.source()}, row_ptr, dictionary, block.cols, request.least_grouped, backend);
}

/// Where host code covers the block. The elements are held twice: as they are, and packed.
template <class T>
Packed<T> pack_blocks_on_host(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                              const std::shared_ptr<Backend>& backend) {
  const Elements<T> elements = cover_with_blocks(block, request.b, order);
  const std::size_t element = sizeof(T) * static_cast<std::size_t>(request.b * request.b) + sizeof(lidx);
  require_memory(*backend, request.format, {full_bytes<T>(elements.row_ptr, element) + request.more_bytes, 0},
                 instead);
  Packed<T> packed =
      pack<T>({{elements.block_rows(), elements.row_ptr.data(), elements.col.data(), elements.value.data()},
               request.b},
              elements.row_ptr, make_dictionary(elements.value), block.cols, no_groups, backend);
  packed.view.holes = elements.holes;
  return packed;
}

template <class T>
Packed<T> pack_blocks_on_device(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                                const std::shared_ptr<Backend>& backend) {
  require_memory(*backend, request.format, {cover_bytes(block, order, request, *backend), 0}, instead);
  const std::size_t values = sizeof(T) * static_cast<std::size_t>(request.b * request.b);
  const auto check = [&](const std::vector<offset>& row_ptr) {
    const double before = static_cast<double>(row_ptr.back()) * static_cast<double>(values);
    const double most = full_bytes<T>(row_ptr, values + sizeof(lidx)) + request.more_bytes;
    // The copy of the block makes room before the packed block takes it.
    const double copy = BlockOnDevice<T>::bytes(block, order, *backend);
    require_memory(*backend, request.format, {std::max(before, before + most - copy), 0}, instead);
  };
  DeviceElements<T> elements = cover_on_device<T>(block, order, request, check, backend);
  const std::vector<T> dictionary = find_dictionary(block.value, elements.holes, elements.from.value,
                                                    elements.row_ptr.back() * request.b * request.b, backend);
  Packed<T> packed =
      pack<T>({elements.from, request.b}, elements.row_ptr, dictionary, block.cols, no_groups, backend);
  packed.view.holes = elements.holes;
  return packed;
}

}  // namespace

template <class T>
Packed<T> pack_block(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                     const std::shared_ptr<Backend>& backend) {
  require_entry_block(request.b);
  if (longest_row(block) > Slice::most_width)
    throw Error(ExitCode::input, fmt::format("format {} holds rows of {} elements at most: use format csr",
                                             request.format, Slice::most_width));
  Packed<T> packed = request.b == 1              ? pack_single_elements(block, order, request, backend)
                     : backend->runs_host_code() ? pack_blocks_on_host(block, order, request, backend)
                                                 : pack_blocks_on_device(block, order, request, backend);
  packed.view.rows = block.rows;
  packed.view.cols = block.cols;
  return packed;
}

template <class T>
Elements<T> pack_and_unpack(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                            const std::shared_ptr<Backend>& backend, std::vector<Slice>* slices) {
  Elements<T> elements;
  if (request.b == 1) {
    Csr<T> ordered = permute_rows(block, order.rows, order.position);
    elements = {block.rows,
                block.cols,
                1,
                false,
                std::move(ordered.row_ptr),
                std::move(ordered.col),
                std::move(ordered.value)};
  } else {
    elements = cover_with_blocks(block, request.b, order);
  }
  const Packed<T> packed = pack_block(block, order, request, backend);
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

SPMV_INSTANTIATE(pack_block);
SPMV_INSTANTIATE(pack_and_unpack);

}  // namespace spmv
