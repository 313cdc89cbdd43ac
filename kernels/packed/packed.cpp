#include "kernels/packed/packed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "kernels/analysis.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/packed/pack.hpp"

namespace spmv {
namespace {

/// The slices of a source, packed: owns the arrays, which the view refers to.
template <class T>
struct Packed {
  DeviceArrays arrays;
  PackedView<T> view;
  std::vector<Slice> slices;
  double unread_bytes = 0;
  offset stored = 0;
};

int packed_threads_per_row(lidx block_rows, offset elements, int b) {
  constexpr offset enough_threads = 270'000;
  const offset least_elements = b == 1 ? 8 : 2;
  int threads = 1;
  while (threads < 16 && offset{block_rows} * threads < enough_threads &&
         elements >= least_elements * threads * block_rows)
    threads *= 2;
  return threads;
}

/// Bytes of all arrays if nothing could be stored shorter.
template <class T>
double full_bytes(const std::vector<offset>& row_ptr, std::size_t element_bytes) {
  const offset rows = static_cast<offset>(row_ptr.size()) - 1;
  double bytes = static_cast<double>(rows) * sizeof(lidx);
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

/// Elements of every row, and of every slice those before it.
std::vector<lidx> lengths_of(const std::vector<offset>& row_ptr) {
  std::vector<lidx> lengths(row_ptr.size() - 1);
  for (std::size_t row = 0; row < lengths.size(); ++row)
    lengths[row] = static_cast<lidx>(row_ptr[row + 1] - row_ptr[row]);
  return lengths;
}

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

template <class T>
Packed<T> pack(const std::vector<offset>& row_ptr, const std::vector<lidx>& col, const std::vector<T>& value,
               int b, const std::shared_ptr<Backend>& backend) {
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
  auto* const cols = packed.arrays.template allocate<unsigned char>(static_cast<std::size_t>(sizes.col));
  auto* const values = packed.arrays.template allocate<unsigned char>(static_cast<std::size_t>(sizes.value));
  queue->fill(cols, 0, static_cast<std::size_t>(sizes.col));
  queue->fill(values, 0, static_cast<std::size_t>(sizes.value));
  run_step(*queue, MakeHeads<T>{source, slices, device_slices, heads}, [](const MakeHeads<T>& step) {
#pragma omp parallel for schedule(dynamic, 64)
    for (lidx s = 0; s < step.slices; ++s) make_slice_heads(step.source, s, step.slice[s], step.head);
  });
  run_step(*queue, PackRows<T>{source, device_slices, heads, cols, values}, [](const PackRows<T>& step) {
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
  view.col = cols;
  view.value = values;
  view.row_length = packed.arrays.add(lengths_of(row_ptr));
  if (on_host) view.slice_elements = packed.arrays.add(elements_before);
  return packed;
}

template <class T>
Packed<T> pack(const Elements<T>& elements, const std::shared_ptr<Backend>& backend) {
  Packed<T> packed = pack(elements.row_ptr, elements.col, elements.value, elements.b, backend);
  packed.view.rows = elements.rows;
  packed.view.cols = elements.cols;
  packed.view.holes = elements.holes;
  return packed;
}

template <class T>
Packed<T> pack(const Csr<T>& block, const std::shared_ptr<Backend>& backend) {
  Packed<T> packed = pack(block.row_ptr, block.col, block.value, 1, backend);
  packed.view.rows = block.rows;
  packed.view.cols = block.cols;
  return packed;
}

}  // namespace

template <class T>
std::unique_ptr<LocalOperator<T>> make_packed(const std::string& name, const Csr<T>& block, int b,
                                              const std::vector<lidx>& row_list, const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  if (longest_row(block) > Slice::most_width)
    throw Error(ExitCode::input, fmt::format("format {} holds rows of {} elements at most: use format csr",
                                             name, Slice::most_width));
  const auto check = [&](const std::vector<offset>& row_ptr, std::size_t scalars) {
    const double lists = static_cast<double>(row_list.size()) * sizeof(lidx);
    const double element = static_cast<double>(scalars * sizeof(T) + sizeof(lidx));
    const double source =
        static_cast<double>(row_ptr.back()) * element + static_cast<double>(row_ptr.size()) * sizeof(offset);
    const double most = full_bytes<T>(row_ptr, scalars * sizeof(T) + sizeof(lidx)) + lists;
    require_memory(*backend, name, {backend->runs_host_code() ? most : most + source, 0}, "use format csr");
  };
  Packed<T> packed = [&] {
    if (b == 1) {
      check(block.row_ptr, 1);
      return pack(block, backend);
    }
    const Elements<T> elements = cover_with_blocks(block, b);
    check(elements.row_ptr, static_cast<std::size_t>(b) * b);
    return pack(elements, backend);
  }();
  PackedView<T>& view = packed.view;
  const offset elements = packed.slices.empty() ? 0 : packed.stored / (offset{b} * b);
  view.row_list = packed.arrays.add_row_list(row_list);
  view.threads_per_row = options.threads_per_row > 0 ? options.threads_per_row
                                                     : packed_threads_per_row(view.block_rows, elements, b);
  view.threads_per_block = options.threads_per_block;
  return make_format_operator(view, std::move(packed.arrays), block, packed.stored, packed.unread_bytes);
}

template <class T>
Elements<T> pack_and_unpack(const Csr<T>& block, int b, const std::shared_ptr<Backend>& backend,
                            std::vector<Slice>* slices) {
  Elements<T> elements;
  if (b == 1)
    elements = {block.rows, block.cols, 1, false, block.row_ptr, block.col, block.value};
  else
    elements = cover_with_blocks(block, b);
  const Packed<T> packed = pack(elements, backend);
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

Cost packed_cost(const Analysis& a, const FormatOptions& options, int b) {
  double elements = static_cast<double>(a.nonzeros);
  const double scalars = static_cast<double>(b) * b;
  if (b > 1)
    for (const BlockCover& cover : a.block_covers)
      if (cover.size == b) elements = static_cast<double>(cover.blocks);
  // N_iter of single elements over all of them is also that of blocks.
  const double nonzeros = std::max<double>(1, static_cast<double>(a.nonzeros));
  const double padding = static_cast<double>(a.iterations(options.sigma)) * slice_rows / nonzeros;
  const double iterations = elements * padding / slice_rows;
  const auto full = static_cast<double>(a.value_bytes);
  const double narrow = std::max(a.offset8_share, a.diagonal_share);
  const double middle = std::max(a.offset16_share, narrow);
  const double col = (narrow - a.diagonal_share) + 2 * (middle - narrow) + 4 * (1 - middle);
  const double stored = a.distinct_values <= most_dictionary_values ? 1 : full * (1 - a.float_share / 2);
  const double value = b == 1 ? stored * (1 - a.constant_share) : scalars * stored;
  const double heads = iterations * 16 + static_cast<double>(a.rows) / b / slice_rows * sizeof(Slice);
  const int threads = options.threads_per_row > 0
                          ? options.threads_per_row
                          : packed_threads_per_row(a.rows / b, static_cast<offset>(elements), b);
  return {elements * padding * (col + value) + heads, elements * (col + value) + heads + vector_bytes(a),
          iterations * scalars, std::ceil(1.0 * a.longest / b / threads),
          b == 1 ? iterations * a.diagonal_share : 0};
}

template std::unique_ptr<LocalOperator<float>> make_packed(const std::string&, const Csr<float>&, int,
                                                           const std::vector<lidx>&, const FormatOptions&,
                                                           const std::shared_ptr<Backend>&);
template Elements<float> pack_and_unpack(const Csr<float>&, int, const std::shared_ptr<Backend>&,
                                         std::vector<Slice>*);
template std::unique_ptr<LocalOperator<double>> make_packed(const std::string&, const Csr<double>&, int,
                                                            const std::vector<lidx>&, const FormatOptions&,
                                                            const std::shared_ptr<Backend>&);
template Elements<double> pack_and_unpack(const Csr<double>&, int, const std::shared_ptr<Backend>&,
                                          std::vector<Slice>*);
template std::unique_ptr<LocalOperator<std::complex<float>>> make_packed(const std::string&,
                                                                         const Csr<std::complex<float>>&, int,
                                                                         const std::vector<lidx>&,
                                                                         const FormatOptions&,
                                                                         const std::shared_ptr<Backend>&);
template Elements<std::complex<float>> pack_and_unpack(const Csr<std::complex<float>>&, int,
                                                       const std::shared_ptr<Backend>&, std::vector<Slice>*);
template std::unique_ptr<LocalOperator<std::complex<double>>> make_packed(const std::string&,
                                                                          const Csr<std::complex<double>>&,
                                                                          int, const std::vector<lidx>&,
                                                                          const FormatOptions&,
                                                                          const std::shared_ptr<Backend>&);
template Elements<std::complex<double>> pack_and_unpack(const Csr<std::complex<double>>&, int,
                                                        const std::shared_ptr<Backend>&, std::vector<Slice>*);

}  // namespace spmv
