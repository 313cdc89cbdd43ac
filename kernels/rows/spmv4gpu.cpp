#include "kernels/rows/spmv4gpu.hpp"

#include <algorithm>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/parts/row_threads.hpp"

namespace spmv {
namespace {

constexpr offset padded_length(offset length) {
  return rounded_up(length, half_warp);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  const double bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) +
                       static_cast<double>(request.row_list.size()) * sizeof(lidx);
  require_memory(*request.backend, "spmv4gpu", {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(request.backend);
  Spmv4gpuView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(request.row_list);
  view.threads_per_row = spmv4gpu_threads_per_row(block.rows, block.nonzeros(), request.options);
  return make_format_operator(view, std::move(arrays), block, block.nonzeros());
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_padded(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  longest_row(block);
  double stored = 0;
  for (lidx row = 0; row < block.rows; ++row)
    stored += static_cast<double>(padded_length(block.row_length(row)));
  const double bytes = stored * (sizeof(T) + sizeof(lidx)) + (block.rows + 1.0) * sizeof(offset) +
                       (static_cast<double>(block.rows) + request.row_list.size()) * sizeof(lidx);
  require_memory(*request.backend, "spmv4gpu_padded", {bytes, bytes}, "use format spmv4gpu");

  const PaddedRows<T> built = build_padded_rows(block);
  DeviceArrays arrays(request.backend);
  Spmv4gpuView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(built.row_ptr);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(request.row_list);
  view.threads_per_row = spmv4gpu_threads_per_row(block.rows, block.nonzeros(), request.options);
  return make_format_operator(view, std::move(arrays), block, built.row_ptr.back());
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
          .make = make<T>};
}

template <class T>
Format<T> spmv4gpu_padded_format() {
  return {.name = "spmv4gpu_padded",
          .summary = "spmv4gpu with every row filled up to a multiple of 16: for rows of 16 and more",
          .listed_at = 60,
          .make = make_padded<T>};
}

SPMV_INSTANTIATE(spmv4gpu_format);
SPMV_INSTANTIATE(spmv4gpu_padded_format);
SPMV_INSTANTIATE(build_padded_rows);

}  // namespace spmv
