#include "kernels/rows/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/rows/alike_rows.hpp"
#include "kernels/rows/spmv4gpu.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

/// CSR with `threads_per_row` threads a row; `name` is the format's, for messages.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const char* name, int threads_per_row, const Csr<T>& block,
                                       const std::vector<lidx>& row_list, const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const bool on_host = backend->runs_host_code();
  const double flags = on_host ? 2.0 * block.rows : 0;  // which rows are alike, and their copy
  const double bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) + flags +
                       static_cast<double>(row_list.size()) * sizeof(lidx);
  require_memory(*backend, name, {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  CsrView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(row_list);
  view.threads_per_row = threads_per_row;
  set_launch(view, options, {.nonzeros = block.nonzeros()});
  double unread_bytes = 0;
  if (on_host) {
    const AlikeRows rows = find_alike_rows(block);
    unread_bytes = static_cast<double>(rows.nonzeros) * sizeof(lidx);
    if (!rows.alike.empty()) view.alike = arrays.add(rows.alike);
    view.by_fours = pays_by_fours(block);
  }
  return make_format_operator(view, std::move(arrays), block, block.nonzeros(), unread_bytes);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_scalar(const Csr<T>& block, const std::vector<lidx>& row_list,
                                              const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  return make_plain_rows("csr_scalar", block, row_list, options, backend);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_vector(const Csr<T>& block, const std::vector<lidx>& row_list,
                                              const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  return make("csr_vector", csr_vector_threads_per_row(block.rows, block.nonzeros(), options), block,
              row_list, options, backend);
}

Cost cost(const Analysis& a, int threads_per_row) {
  const double bytes = csr_bytes(a.rows, a.nonzeros, a.value_bytes);
  return {bytes, bytes + vector_bytes(a), row_iterations(a, threads_per_row),
          std::ceil(1.0 * a.longest / threads_per_row)};
}

Cost scalar_cost(const Analysis& a, const FormatOptions&) {
  return cost(a, 1);
}

Cost vector_cost(const Analysis& a, const FormatOptions& options) {
  return cost(a, csr_vector_threads_per_row(a.rows, a.nonzeros, options));
}

}  // namespace

template <class T>
std::unique_ptr<LocalOperator<T>> make_plain_rows(const char* name, const Csr<T>& block,
                                                  const std::vector<lidx>& row_list,
                                                  const FormatOptions& options,
                                                  const std::shared_ptr<Backend>& backend) {
  return make(name, 1, block, row_list, options, backend);
}

int csr_threads_per_row(lidx rows, offset nonzeros) {
  constexpr int few = 8;
  const auto least_elements = [](int threads) { return threads < few ? 4.5 : 10; };
  int threads = 1;
  while (threads < warp_size && threads * least_elements(threads) * rows <= static_cast<double>(nonzeros))
    threads *= 2;
  return threads;
}

int csr_vector_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options) {
  const int threads =
      options.threads_per_row > 0 ? options.threads_per_row : csr_threads_per_row(rows, nonzeros);
  return std::max(2, threads);
}

double csr_bytes(lidx rows, offset nonzeros, std::size_t value_bytes) {
  return static_cast<double>(nonzeros) * static_cast<double>(value_bytes + sizeof(lidx)) +
         (rows + 1.0) * sizeof(offset);
}

template <class T>
std::vector<Format<T>> rows_formats() {
  return {
      {.name = "csr_scalar",
       .summary = "compressed sparse rows, one thread per row: for rows of a few elements",
       .listed_at = 30,
       .make = make_scalar<T>,
       .cost = scalar_cost,
       .pace = {.iteration_ps = 165,
                .chain_ns = 100,
                .host_iteration_ns = 20,
                .build_ns = 0.5,
                .host_build_ns = 2.3,
                .by_row = true,
                .as_csr_on_host = true,
                .cached_speed = 0.5},
       .fuses = true},
      {.name = "csr_vector",
       .summary = "compressed sparse rows, 2 to 32 threads per row: for rows of like length",
       .listed_at = 40,
       .make = make_vector<T>,
       .cost = vector_cost,
       .pace = {.iteration_ps = 95,
                .chain_ns = 150,
                .host_iteration_ns = 20,
                .build_ns = 0.5,
                .host_build_ns = 2.3,
                .by_row = true,
                .as_csr_on_host = true,
                .cached_speed = 1},
       .fuses = true},
      spmv4gpu_format<T>(),
      spmv4gpu_padded_format<T>(),
  };
}

SPMV_INSTANTIATE(make_plain_rows);
SPMV_INSTANTIATE(rows_formats);

}  // namespace spmv
