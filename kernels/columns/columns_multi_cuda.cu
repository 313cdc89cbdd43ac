// Neighbouring rows side by side and k columns at once, see parts/multivector.cuh.
#include <limits>
#include <type_traits>
#include <utility>

#include <cuda_runtime.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/summed_columns.cuh"

namespace spmv {

static_assert(no_col == no_element, "padding that is marked is no element");

/// Where a row's first element is, and how far from it the others are. Within a slice this is a number of 32 bits.
struct Strides {
  offset first, step;
  __device__ __forceinline__ offset at(int j) const { return j * step; }
};
__device__ __forceinline__ Strides places_of(const Strided& placement, offset row) {
  return {row, placement.stride};
}
struct Slices {
  offset first;
  int log2_rows;
  __device__ __forceinline__ int at(int j) const { return j << log2_rows; }
};
__device__ __forceinline__ Slices places_of(const Sliced& placement, offset row) {
  return {placement.at(row, 0), placement.log2_rows};
}
struct Starts {
  offset first;
  const offset* col_start;
  __device__ __forceinline__ offset at(int j) const { return __ldg(col_start + j); }
};
__device__ __forceinline__ Starts places_of(const Jagged& placement, offset row) {
  return {row, placement.col_start};
}

/// Views with a placement.
template <class View>
struct RowElements {
  using D = DeviceValue<typename View::Value>;
  using Places = decltype(places_of(std::declval<typename View::Placement>(), offset{}));
  Places places;
  const lidx* col;
  const D* value;
  ReadOnce once;
  int first = 0, last;

  __device__ RowElements(const View& view, offset row)
      : places(places_of(view.placement, row)),
        col(view.col + places.first),
        value(as_device(view.value) + places.first),
        once(view.kept_share),
        last(view.row_length == nullptr ? view.width : __ldg(view.row_length + row)) {}
  __device__ __forceinline__ void operator()(int j, lidx& c, D& v) const {
    const auto at = places.at(j);
    c = once.load(col + at);
    v = once.load(value + at);
  }
};

/// Throws Error(usage) where a place in a slice would not fit in 32 bits.
template <class View>
void check_places(const View& view) {
  if constexpr (std::is_same_v<typename View::Placement, Sliced>)
    if (offset{view.width} << view.placement.log2_rows > std::numeric_limits<int>::max())
      throw Error(
          ExitCode::usage,
          "several columns: a slice of format sell has 2^31 elements or more, with their padding; take "
          "fewer rows a slice, or format csr");
}

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  check_places(view);
  launch_rows_columns(view, x, y, k, update, stream);
}

template <class View>
int launch_summed_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                               const typename View::Value* own_x, int k,
                               const RowWork<typename View::Value>& work, void* stream) {
  check_places(view);
  return launch_rows_summed(view, x, y, own_x, k, work, stream);
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, SlicedView);
SPMV_INSTANTIATE_WITH(launch_summed_columns_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_summed_columns_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_summed_columns_cuda, SlicedView);

}  // namespace spmv
