#include "kernels/coo/coo.hpp"

#include <utility>

#include "kernels/analysis.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const bool on_host = backend->runs_host_code();
  const offset runs = on_host ? 0 : coo_runs(block.nonzeros());
  offset empty = 0;
  for (lidx row = 0; row < block.rows; ++row) empty += block.row_length(row) == 0 ? 1 : 0;
  const double bytes = static_cast<double>(block.nonzeros()) * (sizeof(T) + 2 * sizeof(lidx)) +
                       static_cast<double>(empty) * sizeof(lidx);
  const double workspace = static_cast<double>(runs) * (sizeof(T) + sizeof(lidx));
  require_memory(*backend, "coo", {bytes + workspace, bytes}, "use format csr");

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

Cost cost(const Analysis& a, const FormatOptions&) {
  const double empty = a.rows_of_length.empty() ? 0.0 : static_cast<double>(a.rows_of_length[0]);
  const double runs = static_cast<double>(coo_runs(a.nonzeros));
  const double value_bytes = static_cast<double>(a.value_bytes);
  const double bytes = static_cast<double>(a.nonzeros) * (value_bytes + 2 * sizeof(lidx)) +
                       empty * sizeof(lidx) + runs * (value_bytes + sizeof(lidx));
  return {bytes, bytes + vector_bytes(a), static_cast<double>((a.nonzeros + warp_rows - 1) / warp_rows),
          static_cast<double>(a.nonzeros < coo_run ? a.nonzeros : coo_run) / warp_rows};
}

}  // namespace

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
Format<T> coo_format() {
  return {"coo", "row, column and value of every nonzero: for rows of any length, many of them empty",
          keep_row_order<T>, make<T>, cost};
}

template Format<float> coo_format();
template Format<double> coo_format();
template Format<std::complex<float>> coo_format();
template Format<std::complex<double>> coo_format();

template Coo<float> build_coo(const Csr<float>&, const std::vector<lidx>&);
template Coo<double> build_coo(const Csr<double>&, const std::vector<lidx>&);
template Coo<std::complex<float>> build_coo(const Csr<std::complex<float>>&, const std::vector<lidx>&);
template Coo<std::complex<double>> build_coo(const Csr<std::complex<double>>&, const std::vector<lidx>&);

}  // namespace spmv
