#include "kernels/rows/spmv4gpu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

constexpr offset padded_length(offset length) {
  return rounded_up(length, half_warp);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const double bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) +
                       static_cast<double>(row_list.size()) * sizeof(lidx);
  require_memory(*backend, "spmv4gpu", {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  Spmv4gpuView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(row_list);
  view.threads_per_row = spmv4gpu_threads_per_row(block.rows, block.nonzeros(), options);
  return make_format_operator(view, std::move(arrays), block, block.nonzeros());
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_padded(const Csr<T>& block, const std::vector<lidx>& row_list,
                                              const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  longest_row(block);
  double stored = 0;
  for (lidx row = 0; row < block.rows; ++row)
    stored += static_cast<double>(padded_length(block.row_length(row)));
  const double bytes = stored * (sizeof(T) + sizeof(lidx)) + (block.rows + 1.0) * sizeof(offset) +
                       (static_cast<double>(block.rows) + row_list.size()) * sizeof(lidx);
  require_memory(*backend, "spmv4gpu_padded", {bytes, bytes}, "use format spmv4gpu");

  const PaddedRows<T> built = build_padded_rows(block);
  DeviceArrays arrays(backend);
  Spmv4gpuView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(built.row_ptr);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(row_list);
  view.threads_per_row = spmv4gpu_threads_per_row(block.rows, block.nonzeros(), options);
  return make_format_operator(view, std::move(arrays), block, built.row_ptr.back());
}

/// What rows that begin anywhere in a group need more than rows that begin with one, in iterations of warps.
double misaligned_iterations(const Analysis& a, int threads) {
  double more = 0;
  for (std::size_t length = 1; length < a.rows_of_length.size(); ++length) {
    offset steps = 0;
    for (offset before = 0; before < half_warp; ++before)
      steps += (before + static_cast<offset>(length) + threads - 1) / threads;
    const double aligned = std::ceil(static_cast<double>(length) / threads);
    more +=
        static_cast<double>(a.rows_of_length[length]) * (static_cast<double>(steps) / half_warp - aligned);
  }
  return more * threads / warp_size;
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  const int threads = spmv4gpu_threads_per_row(a.rows, a.nonzeros, options);
  const double bytes = csr_bytes(a.rows, a.nonzeros, a.value_bytes);
  return {bytes, bytes + vector_bytes(a), row_iterations(a, threads) + misaligned_iterations(a, threads),
          std::ceil(1.0 * a.longest / threads)};
}

Cost cost_padded(const Analysis& a, const FormatOptions& options) {
  const int threads = spmv4gpu_threads_per_row(a.rows, a.nonzeros, options);
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double rows = (a.rows + 1.0) * sizeof(offset) + static_cast<double>(a.rows) * sizeof(lidx);
  double stored = 0;
  for (std::size_t length = 0; length < a.rows_of_length.size(); ++length)
    stored += static_cast<double>(a.rows_of_length[length] * padded_length(static_cast<offset>(length)));
  return {stored * element + rows, static_cast<double>(a.nonzeros) * element + rows + vector_bytes(a),
          row_iterations(a, threads), std::ceil(1.0 * a.longest / threads)};
}

}  // namespace

int spmv4gpu_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options) {
  const int threads =
      options.threads_per_row > 0 ? options.threads_per_row : csr_threads_per_row(rows, nonzeros);
  return std::max(static_cast<int>(half_warp), threads);
}

template <class T>
PaddedRows<T> build_padded_rows(const Csr<T>& block) {
  longest_row(block);
  PaddedRows<T> built;
  built.row_ptr.resize(static_cast<std::size_t>(block.rows) + 1);
  built.row_length.resize(block.rows);
  for (lidx row = 0; row < block.rows; ++row) {
    built.row_length[row] = static_cast<lidx>(block.row_length(row));
    built.row_ptr[row + 1] = built.row_ptr[row] + padded_length(block.row_length(row));
  }
  built.col.resize(built.row_ptr.back());
  built.value.resize(built.row_ptr.back());
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < block.rows; ++row) {
    const offset first = block.row_ptr[row];
    std::copy_n(block.col.begin() + first, built.row_length[row], built.col.begin() + built.row_ptr[row]);
    std::copy_n(block.value.begin() + first, built.row_length[row], built.value.begin() + built.row_ptr[row]);
  }
  return built;
}

template <class T>
Format<T> spmv4gpu_format() {
  return {.name = "spmv4gpu",
          .summary = "compressed sparse rows, half a warp per row and aligned loads: for rows of 16 and more",
          .listed_at = 50,
          .make = make<T>,
          .cost = cost,
          .pace = {.iteration_ps = 140,
                   .chain_ns = 100,
                   .host_iteration_ns = 30,
                   .build_ns = 0.5,
                   .host_build_ns = 2.3,
                   .by_row = true}};
}

template <class T>
Format<T> spmv4gpu_padded_format() {
  return {.name = "spmv4gpu_padded",
          .summary = "spmv4gpu with every row filled up to a multiple of 16: for rows of 16 and more",
          .listed_at = 60,
          .make = make_padded<T>,
          .cost = cost_padded,
          .pace = {.iteration_ps = 240,
                   .chain_ns = 200,
                   .host_iteration_ns = 30,
                   .build_ns = 13,
                   .host_build_ns = 13,
                   .by_row = true}};
}

SPMV_INSTANTIATE(spmv4gpu_format);
SPMV_INSTANTIATE(spmv4gpu_padded_format);
SPMV_INSTANTIATE(build_padded_rows);

}  // namespace spmv
