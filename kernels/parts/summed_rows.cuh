// What the kernels of a product do with the result of a row: they store it, or scale it, store it and add to inner products.
#pragma once

#include <cuda_runtime.h>

#include "core/error.hpp"
#include "kernels/parts/block_sum.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/summed_rows.hpp"

namespace spmv {

__device__ __forceinline__ double as_scalar(float a) {
  return a;
}
__device__ __forceinline__ double as_scalar(double a) {
  return a;
}
__device__ __forceinline__ ComplexScalar as_scalar(float2 a) {
  return {a.x, a.y};
}
__device__ __forceinline__ ComplexScalar as_scalar(double2 a) {
  return {a.x, a.y};
}

/// In place of y: rows are scaled, stored in y and summed by every thread for itself. y[i] belongs to own_x[i] and weight[i].
template <class T>
struct SummedRows {
  using D = DeviceValue<T>;
  D* y;
  const D* own_x;
  RowWork<T> to;
  ScalarOf<T> xy{};
  ScalarOf<T> yy{};
};

/// alpha sum + beta w + gamma y, of row i.
template <class T>
__device__ __forceinline__ DeviceValue<T> scaled(const RowFactors<T>& factors, DeviceValue<T> sum,
                                                 const DeviceValue<T>* y, offset i) {
  using D = DeviceValue<T>;
  const D alpha = *as_device(&factors.alpha), beta = *as_device(&factors.beta),
          gamma = *as_device(&factors.gamma);
  D result = multiply_add(alpha, sum, D{});
  if (!is_zero(as_scalar(beta))) result = multiply_add(beta, __ldg(as_device(factors.w) + i), result);
  if (!is_zero(as_scalar(gamma))) result = multiply_add(gamma, y[i], result);
  return result;
}

template <class T>
__device__ __forceinline__ void store_row(SummedRows<T>& rows, const lidx* row_list, offset row,
                                          DeviceValue<T> sum, bool add_to_y) {
  const offset i = row_list != nullptr ? row_list[row] : row;
  if (rows.to.scales) sum = scaled(rows.to.factors, sum, rows.y, i);
  store_row(rows.y, nullptr, i, sum, add_to_y);
  if (!rows.to.sums()) return;
  const auto y = as_scalar(sum);
  rows.xy = rows.xy + conjugate(as_scalar(__ldg(rows.own_x + i))) * y;
  rows.yy =
      rows.yy +
      conjugate(y) * (rows.to.weight == nullptr ? y : as_scalar(__ldg(as_device(rows.to.weight) + i)) * y);
}

/// Lets the rows of an operator go to y, whose rows belong to the elements of own_x.
template <class D>
__device__ __forceinline__ void aim(D*& rows, D* y, const D*) {
  rows = y;
}
template <class T>
__device__ __forceinline__ void aim(SummedRows<T>& rows, DeviceValue<T>* y, const DeviceValue<T>* own_x) {
  const auto rows_before = own_x - rows.own_x;
  if (rows.to.weight != nullptr) rows.to.weight += rows_before;
  if (rows.to.factors.w != nullptr) rows.to.factors.w += rows_before;
  rows.y = y;
  rows.own_x = own_x;
}

/// Leaves this thread block's part of the sums. The last thing that all of its threads do in a kernel.
template <class D>
__device__ __forceinline__ void leave_sums(D* const&) {}
template <class T>
__device__ __forceinline__ void leave_sums(SummedRows<T>& rows) {
  using S = ScalarOf<T>;
  if (!rows.to.sums()) return;
  __shared__ S of_warp[2][32];
  const S xy = warp_sum(rows.xy), yy = warp_sum(rows.yy);
  if (threadIdx.x % 32 == 0) {
    of_warp[0][threadIdx.x / 32] = xy;
    of_warp[1][threadIdx.x / 32] = yy;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  S total = scalar_of<S>(0);
  for (unsigned w = 0; w < blockDim.x / 32; ++w) total = total + of_warp[threadIdx.x][w];
  (threadIdx.x == 0 ? rows.to.xy : rows.to.yy)[blockIdx.x] = total;
}

/// Parts of each sum that a kernel of so many thread blocks leaves; 0 if none are wanted. Throws Error(internal) if there is no
/// room for them.
template <class T>
int parts_of(const RowWork<T>& wanted, offset blocks) {
  if (!wanted.sums()) return 0;
  if (blocks > wanted.room)
    throw Error(ExitCode::internal, "a product leaves more parts of its sums than there is room for");
  return static_cast<int>(blocks);
}

}  // namespace spmv
