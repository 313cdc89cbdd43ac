#include "kernels/coo/coo.hpp"

#include <utility>

#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

/// Bytes of the elements and of the list of empty rows.
double elements_bytes(offset nonzeros, double empty_rows, std::size_t value_bytes) {
  return static_cast<double>(nonzeros) * static_cast<double>(value_bytes + 2 * sizeof(lidx)) +
         empty_rows * sizeof(lidx);
}

/// CUDA: bytes of what runs leave to each other.
double carry_bytes(offset runs, std::size_t value_bytes) {
  return static_cast<double>(runs) * static_cast<double>(value_bytes + sizeof(lidx));
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const double empty = a.rows_of_length.empty() ? 0.0 : static_cast<double>(a.rows_of_length[0]);
  const double bytes =
      elements_bytes(a.nonzeros, empty, a.value_bytes) + carry_bytes(coo_runs(a.nonzeros), a.value_bytes);
  return {bytes, bytes + vector_bytes(a), static_cast<double>((a.nonzeros + warp_size - 1) / warp_size),
          static_cast<double>(a.nonzeros < coo_run ? a.nonzeros : coo_run) / warp_size};
}

}  // namespace

template <class T>
std::unique_ptr<LocalOperator<T>> make_coo(const Csr<T>& block, const std::vector<lidx>& row_list,
                                           const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const bool on_host = backend->runs_host_code();
  const offset runs = on_host ? 0 : coo_runs(block.nonzeros());
  offset empty = 0;
  for (lidx row = 0; row < block.rows; ++row) empty += block.row_length(row) == 0 ? 1 : 0;
  const double bytes = elements_bytes(block.nonzeros(), static_cast<double>(empty), sizeof(T));
  require_memory(*backend, "coo", {bytes + carry_bytes(runs, sizeof(T)), bytes}, "use format csr");

  const Coo<T> built = build_coo(block, row_list);
  DeviceArrays arrays(backend);
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
           .make = make_coo<T>,
           .cost = cost,
           .pace = {.iteration_ps = 240,
                    .chain_ns = 500,
                    .host_iteration_ns = 30,
                    .build_ns = 14,
                    .host_build_ns = 14}}};
}

SPMV_INSTANTIATE(make_coo);
SPMV_INSTANTIATE(build_coo);
SPMV_INSTANTIATE(coo_formats);

}  // namespace spmv
