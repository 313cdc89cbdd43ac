#include <algorithm>

#include "core/value_types.hpp"
#include "kernels/bisection/bisection.hpp"
#include "kernels/parts/row_lanes.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// Adds group `g` of a slice to the sums of its rows. `length` has slice_rows elements.
template <class T>
void add_group(const BisectionView<T>& a, offset slice, int g, const lidx* length, const T* x, T* row_sum) {
  const offset start = a.group_start[slice * bisection_groups + g];
  const offset end = a.group_start[slice * bisection_groups + g + 1];
  if (start == end) return;
  const int rows = slice_rows >> g;
  lidx left[slice_rows];  // elements of the lane's row from the lane's first one on
  for (int lane = 0; lane < slice_rows; ++lane)
    left[lane] = std::min(length[lane % rows], length[rows / 2]) - (g == 0 ? 0 : length[rows]) - lane / rows;
  RowLanes<T, slice_rows> sums;
  lidx step = 0;
  for (offset at = start; at < end; at += slice_rows, step += slice_rows / rows) {
    const T* value = a.value + at;
    const lidx* col = a.col + at;
#pragma omp simd
    for (int lane = 0; lane < slice_rows; ++lane)
      if (step < left[lane]) sums.add_product(lane, value, x, col[lane]);
  }
  for (int lane = 0; lane < slice_rows; ++lane) row_sum[lane % rows] += sums.get(lane);
}

}  // namespace

template <class T>
void multiply_host(const BisectionView<T>& a, const T* x, T* y, Update update) {
  const offset slices = (offset{a.rows} + slice_rows - 1) / slice_rows;
#pragma omp parallel for schedule(dynamic, 16)
  for (offset slice = 0; slice < slices; ++slice) {
    const offset first = slice * slice_rows;
    const offset count = std::min<offset>(slice_rows, a.rows - first);
    lidx length[slice_rows] = {};
    std::copy_n(a.row_length + first, count, length);
    T sum[slice_rows] = {};
    run_best([&] {
      for (int g = 0; g < bisection_groups; ++g) add_group(a, slice, g, length, x, sum);
    });
    for (offset i = 0; i < count; ++i) {
      T& target = y[a.row_list ? a.row_list[first + i] : first + i];
      target = update == Update::add ? target + sum[i] : sum[i];
    }
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
