#include "kernels/coo/coo.hpp"

#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"

namespace spmv {
template <class T>
std::unique_ptr<LocalOperator<T>> make_coo(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  const bool on_host = request.backend->runs_host_code();
  const offset runs = on_host ? 0 : coo_runs(block.nonzeros());
  offset empty = 0;
  for (lidx row = 0; row < block.rows; ++row) empty += block.row_length(row) == 0 ? 1 : 0;
  const double bytes = coo_bytes(block.nonzeros(), static_cast<double>(empty), sizeof(T));
  require_memory(*request.backend, "coo", {bytes + coo_carry_bytes(runs, sizeof(T)), bytes},
                 "use format csr");

  const Coo<T> built = build_coo(block, request.row_list);
  DeviceArrays arrays(request.backend);
  CooView<T> view{};
  view.rows = block.rows;
  view.nonzeros = block.nonzeros();
  view.empty_rows = empty;
  view.row = arrays.add(built.row);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.empty = arrays.add(built.empty);
  if (!on_host) {
    view.carry_row = arrays.template allocate<lidx>(runs);
    view.carry = arrays.template allocate<T>(runs);
  }
  return make_format_operator(view, std::move(arrays), block, block.nonzeros());
}

template <class T>
Coo<T> build_coo(const Csr<T>& block, const std::vector<lidx>& row_list) {
  Coo<T> built{std::vector<lidx>(block.col.size()), block.col, block.value, {}};
  for (lidx row = 0; row < block.rows; ++row) {
    const lidx target = row_list.empty() ? row : row_list[row];
    if (block.row_length(row) == 0) built.empty.push_back(target);
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) built.row[k] = target;
  }
  return built;
}

template <class T>
std::vector<Format<T>> coo_formats() {
  return {{.name = "coo",
           .summary = "row, column and value of every nonzero: for rows of any length, many of them empty",
           .listed_at = 80,
           .make = make_coo<T>}};
}

SPMV_INSTANTIATE(make_coo);
SPMV_INSTANTIATE(build_coo);
SPMV_INSTANTIATE(coo_formats);

}  // namespace spmv
