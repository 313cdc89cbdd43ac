#include "kernels/rows/rows.hpp"

#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/rows/alike_rows.hpp"
#include "kernels/rows/spmv4gpu.hpp"

namespace spmv {
namespace {

/// CSR with `threads_per_row` threads a row; `name` is the format's, for messages.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const char* name, int threads_per_row,
                                       const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  const bool on_host = request.backend->runs_host_code();
  const double flags = on_host ? 2.0 * block.rows : 0;  // which rows are alike, and their copy
  const double bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) + flags +
                       static_cast<double>(request.row_list.size()) * sizeof(lidx);
  require_memory(*request.backend, name, {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(request.backend);
  CsrView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(request.row_list);
  view.threads_per_row = threads_per_row;
  set_launch(view, request.options, {.nonzeros = block.nonzeros()});
  double unread_bytes = 0;
  if (on_host) {
    const AlikeRows rows = find_alike_rows(block);
    unread_bytes = static_cast<double>(rows.nonzeros) * sizeof(lidx);
    if (!rows.alike.empty()) view.alike = arrays.add(rows.alike);
    view.by_fours = pays_by_fours(block);
  }
  return make_format_operator(view, std::move(arrays), block, block.nonzeros(), unread_bytes);
}

}  // namespace

template <class T>
std::unique_ptr<LocalOperator<T>> make_plain_rows(const char* name, const BuildRequest<T>& request) {
  return make(name, 1, request);
}

template <class T>
std::vector<Format<T>> rows_formats() {
  return {
      {.name = "csr_scalar",
       .summary = "compressed sparse rows, one thread per row: for rows of a few elements",
       .listed_at = 30,
       .make = [](const BuildRequest<T>& request) { return make_plain_rows("csr_scalar", request); },
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "csr_vector",
       .summary = "compressed sparse rows, 2 to 32 threads per row: for rows of like length",
       .listed_at = 40,
       .make =
           [](const BuildRequest<T>& request) {
             const int threads =
                 csr_vector_threads_per_row(request.block.rows, request.block.nonzeros(), request.options);
             return make("csr_vector", threads, request);
           },
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      spmv4gpu_format<T>(),
      spmv4gpu_padded_format<T>(),
  };
}

SPMV_INSTANTIATE(make_plain_rows);
SPMV_INSTANTIATE(rows_formats);

}  // namespace spmv
