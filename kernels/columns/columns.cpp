#include "kernels/columns/columns.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "kernels/analysis.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

/// Rows stored in every column: those of the blocks that reach it, padding included.
template <class T>
std::vector<offset> column_heights(const Csr<T>& block, lidx block_rows) {
  std::vector<offset> height;
  for (offset first = 0; first < block.rows; first += block_rows) {
    const offset last = std::min<offset>(first + block_rows, block.rows);
    offset longest = 0;
    for (offset row = first; row < last; ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    if (first == 0) height.resize(longest);
    if (longest > static_cast<offset>(height.size()) || (longest > 0 && height[longest - 1] != first))
      throw Error(ExitCode::internal,
                  "jagged columns need their rows in descending order of length: apply row_order first");
    for (offset j = 0; j < longest; ++j) height[j] = first + block_rows;
  }
  return height;
}

/// Device copies of what a fill reads. The host reads the block itself.
template <class T>
struct DeviceBlock {
  DeviceBlock(const Csr<T>& block, const std::shared_ptr<Backend>& backend) : arrays(backend) {
    const bool on_host = backend->runs_host_code();
    row_ptr = on_host ? block.row_ptr.data() : arrays.add(block.row_ptr);
    col = on_host ? block.col.data() : arrays.add(block.col);
    value = on_host ? block.value.data() : arrays.add(block.value);
  }

  DeviceArrays arrays;
  const offset* row_ptr;
  const lidx* col;
  const T* value;
};

}  // namespace

template <class T>
std::vector<lidx> sorted_rows(const Csr<T>& block, lidx window) {
  if (window <= 1) return {};
  longest_row(block);
  std::vector<lidx> order(static_cast<std::size_t>(block.rows));
  std::iota(order.begin(), order.end(), 0);
  const offset windows = (offset{block.rows} + window - 1) / window;
#pragma omp parallel
  {
    std::vector<offset> place;
    std::vector<lidx> sorted;
#pragma omp for schedule(dynamic, 16)
    for (offset w = 0; w < windows; ++w) {
      const offset first = w * window;
      const offset last = std::min<offset>(first + window, block.rows);
      offset longest = 0;
      for (offset row = first; row < last; ++row)
        longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
      // Counting sort: place[d] is where the next row goes that is d shorter than the longest.
      place.assign(static_cast<std::size_t>(longest) + 2, first);
      for (offset row = first; row < last; ++row)
        ++place[longest - block.row_length(static_cast<lidx>(row)) + 1];
      for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1] - first;
      for (offset row = first; row < last; ++row)
        order[place[longest - block.row_length(static_cast<lidx>(row))]++] = static_cast<lidx>(row);
    }
  }
  return order;
}

int columns_threads_per_row(lidx rows, offset nonzeros) {
  constexpr offset enough_threads = 270'000;  // two waves of an H100 at 1024 threads a multiprocessor
  constexpr offset least_elements = 8;        // for each thread: one batch of loads
  int threads = 1;
  while (threads < 32 && offset{rows} * threads < enough_threads &&
         nonzeros >= least_elements * threads * rows)
    threads *= 2;
  return threads;
}

int columns_unroll(lidx rows, offset nonzeros) {
  constexpr offset long_enough = 12;  // on average, for batches of 8 to be full more often than not
  return nonzeros < long_enough * offset{rows} ? 4 : 8;
}

template <class T>
StridedPlan plan_strided(const Csr<T>& block) {
  StridedPlan plan;
  plan.stride = (offset{block.rows} + warp_rows - 1) / warp_rows * warp_rows;
  plan.stored = plan.stride * longest_row(block);
  return plan;
}

template <class T>
JaggedPlan plan_jagged(const Csr<T>& block, lidx block_rows) {
  if (block_rows < 1)
    throw Error(ExitCode::usage, fmt::format("pJDS block rows must be at least 1, not {}", block_rows));
  longest_row(block);
  JaggedPlan plan;
  for (const offset height : column_heights(block, block_rows)) {
    plan.col_start.push_back(plan.stored);
    plan.stored += height;
  }
  return plan;
}

template <class T>
SlicedPlan plan_sliced(const Csr<T>& block, lidx chunk_rows) {
  if (chunk_rows < 1 || (chunk_rows & (chunk_rows - 1)) != 0)
    throw Error(ExitCode::usage,
                fmt::format("the rows of a slice, C, must be a power of two, not {}", chunk_rows));
  longest_row(block);
  SlicedPlan plan;
  while ((lidx{1} << plan.log2_rows) < chunk_rows) ++plan.log2_rows;
  plan.slice_ptr.push_back(0);
  for (offset first = 0; first < block.rows; first += chunk_rows) {
    offset longest = 0;
    for (offset row = first; row < std::min<offset>(first + chunk_rows, block.rows); ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    plan.stored += longest * chunk_rows;
    plan.slice_ptr.push_back(plan.stored);
  }
  return plan;
}

template <class T, class Plan>
std::unique_ptr<LocalOperator<T>> make_columns(const ColumnsFormat& format, const Csr<T>& block,
                                               const Plan& plan, const std::vector<lidx>& row_list,
                                               const FormatOptions& options,
                                               const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const bool on_host = backend->runs_host_code();
  const double element = sizeof(T) + sizeof(lidx);
  const double bytes =
      static_cast<double>(plan.stored) * element + static_cast<double>(plan.bytes()) +
      (static_cast<double>(block.rows) + static_cast<double>(row_list.size())) * sizeof(lidx);
  const double copy = static_cast<double>(block.nonzeros()) * element + (block.rows + 1.0) * sizeof(offset);
  require_memory(*backend, format.name, {on_host ? bytes : bytes + copy, 0}, format.instead);

  DeviceArrays arrays(backend);
  std::vector<lidx> row_length(static_cast<std::size_t>(block.rows));
  for (lidx row = 0; row < block.rows; ++row) row_length[row] = static_cast<lidx>(block.row_length(row));
  lidx* col = arrays.template allocate<lidx>(static_cast<std::size_t>(plan.stored));
  T* value = arrays.template allocate<T>(static_cast<std::size_t>(plan.stored));
  ColumnsView<T, typename Plan::Layout> view{};
  view.rows = block.rows;
  view.layout = plan.place(arrays);
  view.width = longest_row(block);
  view.row_length = format.keeps_lengths ? arrays.add(row_length) : nullptr;
  view.col = col;
  view.value = value;
  view.row_list = arrays.add_row_list(row_list);
  if (on_host) view.chunk_ptr = arrays.add(chunk_nonzeros(row_length, view.layout.chunk_rows()));
  view.threads_per_row = options.threads_per_row > 0 ? options.threads_per_row
                                                     : columns_threads_per_row(block.rows, block.nonzeros());
  view.threads_per_block = options.threads_per_block;
  view.unroll = options.unroll > 0 ? options.unroll : columns_unroll(block.rows, block.nonzeros());

  const DeviceBlock<T> from(block, backend);
  const ColumnsFill<T, typename Plan::Layout> fill{block.rows, view.layout, from.row_ptr, from.col,
                                                   from.value, col,         value};
  const auto queue = backend->make_queue(Priority::normal);
  const auto stored = static_cast<std::size_t>(plan.stored);
  queue->fill(col, format.keeps_lengths ? 0 : 0xff, stored * sizeof(lidx));
  queue->fill(value, 0, stored * sizeof(T));
  if (queue->takes_cuda_kernels())
    launch_build_cuda(fill, queue->stream());
  else
    queue->run([fill] { fill_host(fill); });
  queue->synchronize();
  const double unread_element = format.keeps_lengths ? element : sizeof(T);
  return make_format_operator(view, std::move(arrays), block, plan.stored,
                              static_cast<double>(plan.stored - block.nonzeros()) * unread_element);
}

Cost columns_cost(const Analysis& a, const FormatOptions& options, double stored, lidx window) {
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  const int threads =
      options.threads_per_row > 0 ? options.threads_per_row : columns_threads_per_row(a.rows, a.nonzeros);
  return {stored * element + lengths, static_cast<double>(a.nonzeros) * element + lengths + vector_bytes(a),
          static_cast<double>(a.iterations(window)), std::ceil(1.0 * a.longest / threads)};
}

template <class T, class Layout>
void fill_host(const ColumnsFill<T, Layout>& fill) {
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < fill.rows; ++row) {
    const offset first = fill.row_ptr[row];
    const auto length = static_cast<lidx>(fill.row_ptr[row + 1] - first);
    for (lidx j = 0; j < length; ++j) {
      fill.col[fill.layout.at(row, j)] = fill.from_col[first + j];
      fill.value[fill.layout.at(row, j)] = fill.from_value[first + j];
    }
  }
}

template std::vector<lidx> sorted_rows(const Csr<char>&, lidx);
template std::vector<lidx> sorted_rows(const Csr<float>&, lidx);
template std::vector<lidx> sorted_rows(const Csr<double>&, lidx);
template std::vector<lidx> sorted_rows(const Csr<std::complex<float>>&, lidx);
template std::vector<lidx> sorted_rows(const Csr<std::complex<double>>&, lidx);
template StridedPlan plan_strided(const Csr<float>&);
template JaggedPlan plan_jagged(const Csr<float>&, lidx);
template SlicedPlan plan_sliced(const Csr<float>&, lidx);
template StridedPlan plan_strided(const Csr<double>&);
template JaggedPlan plan_jagged(const Csr<double>&, lidx);
template SlicedPlan plan_sliced(const Csr<double>&, lidx);
template StridedPlan plan_strided(const Csr<std::complex<float>>&);
template JaggedPlan plan_jagged(const Csr<std::complex<float>>&, lidx);
template SlicedPlan plan_sliced(const Csr<std::complex<float>>&, lidx);
template StridedPlan plan_strided(const Csr<std::complex<double>>&);
template JaggedPlan plan_jagged(const Csr<std::complex<double>>&, lidx);
template SlicedPlan plan_sliced(const Csr<std::complex<double>>&, lidx);
template std::unique_ptr<LocalOperator<float>> make_columns(const ColumnsFormat&, const Csr<float>&,
                                                            const StridedPlan&, const std::vector<lidx>&,
                                                            const FormatOptions&,
                                                            const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<double>> make_columns(const ColumnsFormat&, const Csr<double>&,
                                                             const StridedPlan&, const std::vector<lidx>&,
                                                             const FormatOptions&,
                                                             const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<float>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<float>>&, const StridedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<double>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<double>>&, const StridedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<float>> make_columns(const ColumnsFormat&, const Csr<float>&,
                                                            const JaggedPlan&, const std::vector<lidx>&,
                                                            const FormatOptions&,
                                                            const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<double>> make_columns(const ColumnsFormat&, const Csr<double>&,
                                                             const JaggedPlan&, const std::vector<lidx>&,
                                                             const FormatOptions&,
                                                             const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<float>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<float>>&, const JaggedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<double>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<double>>&, const JaggedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<float>> make_columns(const ColumnsFormat&, const Csr<float>&,
                                                            const SlicedPlan&, const std::vector<lidx>&,
                                                            const FormatOptions&,
                                                            const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<double>> make_columns(const ColumnsFormat&, const Csr<double>&,
                                                             const SlicedPlan&, const std::vector<lidx>&,
                                                             const FormatOptions&,
                                                             const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<float>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<float>>&, const SlicedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<double>>> make_columns(
    const ColumnsFormat&, const Csr<std::complex<double>>&, const SlicedPlan&, const std::vector<lidx>&,
    const FormatOptions&, const std::shared_ptr<Backend>&);
template void fill_host(const ColumnsFill<float, Strided>&);
template void fill_host(const ColumnsFill<double, Strided>&);
template void fill_host(const ColumnsFill<std::complex<float>, Strided>&);
template void fill_host(const ColumnsFill<std::complex<double>, Strided>&);
template void fill_host(const ColumnsFill<float, Jagged>&);
template void fill_host(const ColumnsFill<double, Jagged>&);
template void fill_host(const ColumnsFill<std::complex<float>, Jagged>&);
template void fill_host(const ColumnsFill<std::complex<double>, Jagged>&);
template void fill_host(const ColumnsFill<float, Sliced>&);
template void fill_host(const ColumnsFill<double, Sliced>&);
template void fill_host(const ColumnsFill<std::complex<float>, Sliced>&);
template void fill_host(const ColumnsFill<std::complex<double>, Sliced>&);

}  // namespace spmv
