#include "kernels/hyb/hyb.hpp"

#include <algorithm>
#include <utility>

#include "kernels/analysis.hpp"
#include "kernels/column_major.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

offset padded_rows(lidx rows) {
  return (offset{rows} + warp_rows - 1) / warp_rows * warp_rows;
}

/// Nonzeros that rows of these lengths have beyond `width`.
offset rest_nonzeros(const std::vector<offset>& rows_of_length, lidx width) {
  offset rest = 0;
  for (std::size_t length = width; length < rows_of_length.size(); ++length)
    rest += rows_of_length[length] * (static_cast<offset>(length) - width);
  return rest;
}

template <class T>
std::vector<offset> count_lengths(const Csr<T>& block) {
  std::vector<offset> rows_of_length(static_cast<std::size_t>(longest_row(block)) + 1, 0);
  for (lidx row = 0; row < block.rows; ++row) ++rows_of_length[block.row_length(row)];
  return rows_of_length;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const std::vector<offset> rows_of_length = count_lengths(block);
  const lidx width = hyb_width(rows_of_length, block.rows, sizeof(T));
  const offset rest = rest_nonzeros(rows_of_length, width);
  const bool on_host = runs_host_code(*backend);
  const offset runs = on_host ? 0 : coo_runs(rest);
  const double bytes = static_cast<double>(padded_rows(block.rows)) * width * (sizeof(T) + sizeof(lidx)) +
                       static_cast<double>(rest) * (sizeof(T) + 2 * sizeof(lidx)) +
                       (static_cast<double>(block.rows) + row_list.size()) * sizeof(lidx);
  const double workspace = static_cast<double>(runs) * (sizeof(T) + sizeof(lidx));
  require_memory(*backend, "hyb", {bytes + workspace, bytes}, "use format csr");

  const Hyb<T> built = build_hyb(block, width, row_list);
  DeviceArrays arrays(backend);
  HybView<T> view{};
  view.rows = block.rows;
  view.ell.rows = block.rows;
  view.ell.stride = built.ell.stride;
  view.ell.row_length = arrays.add(built.ell.row_length);
  view.ell.col = arrays.add(built.ell.col);
  view.ell.value = arrays.add(built.ell.value);
  view.ell.row_list = arrays.add_row_list(row_list);
  if (on_host) view.ell.chunk_ptr = arrays.add(chunk_nonzeros(built.ell.row_length));
  view.rest.rows = block.rows;
  view.rest.nonzeros = rest;
  view.rest.row = arrays.add(built.rest.row);
  view.rest.col = arrays.add(built.rest.col);
  view.rest.value = arrays.add(built.rest.value);
  if (!on_host) {
    view.rest.carry_row = arrays.template allocate<lidx>(runs);
    view.rest.carry = arrays.template allocate<T>(runs);
  }
  return make_format_operator(view, std::move(arrays), block,
                              static_cast<offset>(built.ell.value.size()) + rest);
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const lidx width = hyb_width(a.rows_of_length, a.rows, a.value_bytes);
  const auto rest = static_cast<double>(rest_nonzeros(a.rows_of_length, width));
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  const double rest_bytes = rest * (element + sizeof(lidx));
  // COO reads and writes its rows of y once more; there are no more of them than nonzeros.
  const double again = 2 * std::min(rest, static_cast<double>(a.rows)) * static_cast<double>(a.value_bytes);
  const double all_columns = static_cast<double>(padded_rows(a.rows) / warp_rows) * width;
  return {static_cast<double>(padded_rows(a.rows)) * width * element + rest_bytes + lengths,
          (static_cast<double>(a.nonzeros) - rest) * element + rest_bytes + lengths + vector_bytes(a) + again,
          std::min(all_columns, static_cast<double>(a.iterations(1))) + rest / warp_rows,
          static_cast<double>(width) + std::min(rest, static_cast<double>(coo_run)) / warp_rows};
}

}  // namespace

lidx hyb_width(const std::vector<offset>& rows_of_length, lidx rows, std::size_t value_bytes) {
  constexpr double coo_penalty = 1.5;
  const double ell_column = static_cast<double>(rows) * static_cast<double>(value_bytes + sizeof(lidx));
  const double coo_element = coo_penalty * static_cast<double>(value_bytes + 2 * sizeof(lidx));
  offset reach = 0;  // rows of at least `length` nonzeros
  for (std::size_t length = rows_of_length.size(); length-- > 1;) {
    reach += rows_of_length[length];
    if (static_cast<double>(reach) * coo_element >= ell_column) return static_cast<lidx>(length);
  }
  return 0;
}

template <class T>
Hyb<T> build_hyb(const Csr<T>& block, lidx width, const std::vector<lidx>& row_list) {
  Hyb<T> built;
  built.ell.stride = padded_rows(block.rows);
  built.ell.row_length.resize(block.rows);
  std::vector<offset> rest_ptr(static_cast<std::size_t>(block.rows) + 1, 0);
  for (lidx row = 0; row < block.rows; ++row) {
    const offset length = block.row_length(row);
    built.ell.row_length[row] = static_cast<lidx>(std::min<offset>(length, width));
    rest_ptr[row + 1] = rest_ptr[row] + length - built.ell.row_length[row];
  }
  built.ell.col.resize(built.ell.stride * width);
  built.ell.value.resize(built.ell.col.size());
  built.rest.row.resize(rest_ptr.back());
  built.rest.col.resize(rest_ptr.back());
  built.rest.value.resize(rest_ptr.back());
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < block.rows; ++row) {
    offset from = block.row_ptr[row];
    for (lidx j = 0; j < built.ell.row_length[row]; ++j, ++from) {
      built.ell.col[j * built.ell.stride + row] = block.col[from];
      built.ell.value[j * built.ell.stride + row] = block.value[from];
    }
    for (offset to = rest_ptr[row]; to < rest_ptr[row + 1]; ++to, ++from) {
      built.rest.row[to] = row_list.empty() ? row : row_list[row];
      built.rest.col[to] = block.col[from];
      built.rest.value[to] = block.value[from];
    }
  }
  return built;
}

template <class T>
Format<T> hyb_format() {
  return {"hyb", "ELLPACK for the first elements of every row, COO for the rest: for a few long rows",
          keep_row_order<T>, make<T>, cost};
}

template Format<float> hyb_format();
template Format<double> hyb_format();
template Format<std::complex<float>> hyb_format();
template Format<std::complex<double>> hyb_format();

template Hyb<float> build_hyb(const Csr<float>&, lidx, const std::vector<lidx>&);
template Hyb<double> build_hyb(const Csr<double>&, lidx, const std::vector<lidx>&);
template Hyb<std::complex<float>> build_hyb(const Csr<std::complex<float>>&, lidx, const std::vector<lidx>&);
template Hyb<std::complex<double>> build_hyb(const Csr<std::complex<double>>&, lidx,
                                             const std::vector<lidx>&);

}  // namespace spmv
