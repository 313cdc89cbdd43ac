#include "kernels/bisection/bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

using SliceLengths = std::array<offset, slice_rows>;  // 0 for rows that the last slice lacks

/// Elements of every row that lie before each group, and at last the length of the longest row.
std::array<offset, bisection_groups + 1> group_columns(const SliceLengths& length) {
  std::array<offset, bisection_groups + 1> first{};
  for (int g = 1; g <= bisection_groups; ++g) first[g] = length[slice_rows >> g];
  return first;
}

/// Steps of the warp in group g.
offset group_steps(const std::array<offset, bisection_groups + 1>& first, int g) {
  const offset threads_per_row = offset{1} << g;
  return (first[g + 1] - first[g] + threads_per_row - 1) / threads_per_row;
}

template <class T>
SliceLengths slice_lengths(const Csr<T>& block, offset first_row) {
  SliceLengths length{};
  const offset count = std::min<offset>(slice_rows, block.rows - first_row);
  for (offset i = 0; i < count; ++i) length[i] = block.row_length(static_cast<lidx>(first_row + i));
  return length;
}

template <class T>
std::vector<offset> group_starts(const Csr<T>& block) {
  std::vector<offset> start{0};
  for (offset first_row = 0; first_row < block.rows; first_row += slice_rows) {
    const SliceLengths length = slice_lengths(block, first_row);
    if (!std::is_sorted(length.rbegin(), length.rend()))
      throw Error(ExitCode::internal,
                  "BiELL and BiJAD need descending lengths in every slice of rows: apply row_order first");
    const auto first = group_columns(length);
    for (int g = 0; g < bisection_groups; ++g)
      start.push_back(start.back() + slice_rows * group_steps(first, g));
  }
  return start;
}

template <class T>
Bisection<T> build(const Csr<T>& block, std::vector<offset> group_start) {
  Bisection<T> built;
  built.row_length.resize(block.rows);
  built.col.resize(group_start.back());
  built.value.resize(group_start.back());
  const offset slices = (offset{block.rows} + slice_rows - 1) / slice_rows;
#pragma omp parallel for schedule(static)
  for (offset slice = 0; slice < slices; ++slice) {
    const SliceLengths length = slice_lengths(block, slice * slice_rows);
    const auto first = group_columns(length);
    for (lidx i = 0; i < slice_rows && slice * slice_rows + i < block.rows; ++i) {
      const offset row = slice * slice_rows + i;
      built.row_length[row] = static_cast<lidx>(length[i]);
      for (int g = 0; g < bisection_groups && i < slice_rows >> g; ++g) {
        const lidx rows = slice_rows >> g;
        for (offset j = first[g]; j < std::min(length[i], first[g + 1]); ++j) {
          const offset to = group_start[slice * bisection_groups + g] + (j - first[g]) * rows + i;
          built.col[to] = block.col[block.row_ptr[row] + j];
          built.value[to] = block.value[block.row_ptr[row] + j];
        }
      }
    }
  }
  built.group_start = std::move(group_start);
  return built;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const char* name, const Csr<T>& block,
                                       const std::vector<lidx>& row_list,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  longest_row(block);
  std::vector<offset> group_start = group_starts(block);
  const double bytes = static_cast<double>(group_start.back()) * (sizeof(T) + sizeof(lidx)) +
                       static_cast<double>(group_start.size()) * sizeof(offset) +
                       (static_cast<double>(block.rows) + row_list.size()) * sizeof(lidx);
  require_memory(*backend, name, {bytes, bytes}, "use format csr");

  const Bisection<T> built = build(block, std::move(group_start));
  DeviceArrays arrays(backend);
  BisectionView<T> view{};
  view.rows = block.rows;
  view.group_start = arrays.add(built.group_start);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(row_list);
  return make_format_operator(view, std::move(arrays), block, built.group_start.back());
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_biell(const Csr<T>& block, const std::vector<lidx>& row_list,
                                             const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  return make("biell", block, row_list, backend);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_bijad(const Csr<T>& block, const std::vector<lidx>& row_list,
                                             const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  return make("bijad", block, row_list, backend);
}

/// `chain` iterations in the slice of the longest row. Which lengths meet in a slice is not known; but more
/// than half of every group is nonzeros, so at most as many iterations again are padding, and no more than
/// without bisection. Half of that is assumed.
Cost sorted_cost(const Analysis& a, lidx window, double chain) {
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double slices = std::ceil(static_cast<double>(a.rows) / slice_rows);
  const double extra =
      static_cast<double>(a.rows) * sizeof(lidx) + (slices * bisection_groups + 1) * sizeof(offset);
  const double full = static_cast<double>(a.nonzeros) / slice_rows;
  const double iterations = full + std::min(static_cast<double>(a.iterations(window)) - full, full) / 2;
  return {iterations * slice_rows * element + extra,
          static_cast<double>(a.nonzeros) * element + extra + vector_bytes(a), iterations, chain};
}

Cost biell_cost(const Analysis& a, const FormatOptions&) {
  const double chain = a.mean_length + (static_cast<double>(a.longest) - a.mean_length) / slice_rows;
  return sorted_cost(a, slice_rows, std::ceil(chain));
}

Cost bijad_cost(const Analysis& a, const FormatOptions&) {
  SliceLengths longest{};  // the first slice
  std::size_t filled = 0;
  for (std::size_t l = a.rows_of_length.size(); l-- > 0 && filled < longest.size();)
    for (offset i = 0; i < a.rows_of_length[l] && filled < longest.size(); ++i)
      longest[filled++] = static_cast<offset>(l);
  const auto first = group_columns(longest);
  offset chain = 0;
  for (int g = 0; g < bisection_groups; ++g) chain += group_steps(first, g);
  return sorted_cost(a, a.rows, static_cast<double>(chain));
}

template <class T>
std::vector<lidx> sort_in_slices(const Csr<T>& block, const FormatOptions&) {
  return sorted_rows(row_lengths(block.row_ptr), slice_rows);
}

template <class T>
std::vector<lidx> sort_all(const Csr<T>& block, const FormatOptions&) {
  return sorted_rows(row_lengths(block.row_ptr), block.rows);
}

}  // namespace

template <class T>
Bisection<T> build_bisection(const Csr<T>& block) {
  longest_row(block);
  return build(block, group_starts(block));
}

template <class T>
std::vector<Format<T>> bisection_formats() {
  return {
      {.name = "biell",
       .summary = "slices of 32 rows sorted by length, threads shared out by bisection: for mixed lengths",
       .listed_at = 120,
       .row_order = sort_in_slices<T>,
       .make = make_biell<T>,
       .cost = biell_cost,
       .pace = {.iteration_ps = 90,
                .chain_ns = 100,
                .host_iteration_ns = 28,
                .build_ns = 10,
                .host_build_ns = 10,
                .sorts = Sorts::yes}},
      {.name = "bijad",
       .summary = "biell with all rows sorted by length: less padding, rows further from their neighbours",
       .listed_at = 140,
       .row_order = sort_all<T>,
       .make = make_bijad<T>,
       .cost = bijad_cost,
       .pace = {.iteration_ps = 100,
                .chain_ns = 120,
                .host_iteration_ns = 28,
                .build_ns = 10,
                .host_build_ns = 10,
                .sorts = Sorts::yes}},
  };
}

SPMV_INSTANTIATE(bisection_formats);
SPMV_INSTANTIATE(build_bisection);

}  // namespace spmv
