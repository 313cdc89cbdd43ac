#include "kernels/bisection/bisection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"

namespace spmv {
namespace {

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
std::unique_ptr<LocalOperator<T>> make(const char* name, const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  longest_row(block);
  std::vector<offset> group_start = group_starts(block);
  const double bytes = static_cast<double>(group_start.back()) * (sizeof(T) + sizeof(lidx)) +
                       static_cast<double>(group_start.size()) * sizeof(offset) +
                       (static_cast<double>(block.rows) + request.row_list.size()) * sizeof(lidx);
  require_memory(*request.backend, name, {bytes, bytes}, "use format csr");

  const Bisection<T> built = build(block, std::move(group_start));
  DeviceArrays arrays(request.backend);
  BisectionView<T> view{};
  view.rows = block.rows;
  view.group_start = arrays.add(built.group_start);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(request.row_list);
  return make_format_operator(view, std::move(arrays), block, built.group_start.back());
}

template <class T>
std::vector<lidx> sort_in_slices(const Csr<T>& block, const FormatOptions&) {
  return sorted_rows(row_lengths(block.row_ptr), slice_rows);
}

}  // namespace

offset bisection_steps(const SliceLengths& length) {
  const auto first = group_columns(length);
  offset steps = 0;
  for (int g = 0; g < bisection_groups; ++g) steps += group_steps(first, g);
  return steps;
}

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
       .make = [](const BuildRequest<T>& request) { return make("biell", request); }},
      {.name = "bijad",
       .summary = "biell with all rows sorted by length: less padding, rows further from their neighbours",
       .listed_at = 140,
       .row_order = sort_all_rows<T>,
       .make = [](const BuildRequest<T>& request) { return make("bijad", request); }},
  };
}

SPMV_INSTANTIATE(bisection_formats);
SPMV_INSTANTIATE(build_bisection);

}  // namespace spmv
