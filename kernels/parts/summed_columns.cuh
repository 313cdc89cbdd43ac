// Products with k columns that also scale their rows and leave the inner products of each column, while results are in registers
// [Kreutzer 2015]. Few thread blocks go through all rows, so that few parts are left.
#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include "core/resident.cuh"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/summed_rows.cuh"

namespace spmv {

/// In place of a BundleOf's store(): rows are scaled, stored and summed by every thread for itself. What work points to is that of
/// this thread's first column.
template <class T, int width>
struct SummedBundle {
  using D = DeviceValue<T>;
  using S = ScalarOf<T>;
  BundleOf<D, width> bundle;
  const D* own_x;
  RowWork<T> work;
  S xy[width] = {};
  S yy[width] = {};

  /// Sends for what store() will read of y: it comes from memory while the row's elements are added up.
  __device__ __forceinline__ void send_for_y(offset row) const {
    if (!work.scales || is_zero(as_scalar(*as_device(&work.factors.gamma)))) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(bundle.y + bundle.row_of_y(row) * bundle.k));
  }
  __device__ __forceinline__ void store(offset row, Bundle<D, width> sum) {
    const offset i = bundle.row_of_y(row);
    const offset at = i * bundle.k;
    if (work.scales) scale(at, sum);
    bundle.store_at(i, sum);
    if (!work.sums()) return;
    const auto x = load_bundle<D, width>(own_x + at);
    auto weighted = sum;
    if (work.weight != nullptr) {
      const auto weight = load_bundle<D, width>(as_device(work.weight) + at);
#pragma unroll
      for (int c = 0; c < width; ++c) weighted.at[c] = multiply_add(weight.at[c], sum.at[c], D{});
    }
#pragma unroll
    for (int c = 0; c < width; ++c) {
      xy[c] = xy[c] + conjugate(as_scalar(x.at[c])) * as_scalar(sum.at[c]);
      yy[c] = yy[c] + conjugate(as_scalar(sum.at[c])) * as_scalar(weighted.at[c]);
    }
  }

 private:
  /// alpha sum + beta w + gamma y
  __device__ __forceinline__ void scale(offset at, Bundle<D, width>& sum) const {
    using B = Bundle<D, width>;
    const RowFactors<T>& f = work.factors;
    const D alpha = *as_device(&f.alpha), beta = *as_device(&f.beta), gamma = *as_device(&f.gamma);
    sum = multiply_add(alpha, sum, B{});
    if (!is_zero(as_scalar(beta))) sum = multiply_add(beta, load_bundle<D, width>(as_device(f.w) + at), sum);
    if (!is_zero(as_scalar(gamma)))
      sum = multiply_add(
          gamma, __builtin_bit_cast(B, *reinterpret_cast<const typename B::Word*>(bundle.y + at)), sum);
  }
};

/// Leaves this thread block's part of the sums of every column, added up in the order of threads. The last thing that all of its
/// threads do in a kernel; `first`: parts of column 0.
template <class T, int width>
__device__ __forceinline__ void leave_sums(const SummedBundle<T, width>& sums, const RowsOfBlock& mine,
                                           const RowWork<T>& first) {
  using S = ScalarOf<T>;
  if (!first.sums()) return;
  __shared__ S of_thread[2][width][multi_block_threads];
#pragma unroll
  for (int c = 0; c < width; ++c) {
    of_thread[0][c][threadIdx.x] = sums.xy[c];
    of_thread[1][c][threadIdx.x] = sums.yy[c];
  }
  __syncthreads();
  const int columns = mine.bundles * width;
  if (static_cast<int>(threadIdx.x) >= 2 * columns) return;
  const int of = static_cast<int>(threadIdx.x) / columns, column = static_cast<int>(threadIdx.x) % columns;
  S total = scalar_of<S>(0);
  for (int r = 0; r < mine.rows; ++r)
    total = total + of_thread[of][column % width][r * mine.bundles + column / width];
  (of == 0 ? first.xy : first.yy)[column * first.apart + blockIdx.x] = total;
}

/// multiply_rows_columns_kernel() whose thread blocks go through rows far apart.
template <int width, class View>
__global__ void __launch_bounds__(multi_block_threads, multi_blocks_per_multiprocessor<typename View::Value>)
    multiply_rows_summed_kernel(const View a, const DeviceValue<typename View::Value>* x,
                                DeviceValue<typename View::Value>* y,
                                const DeviceValue<typename View::Value>* own_x, int k,
                                const RowWork<typename View::Value> work) {
  using T = typename View::Value;
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const int column = mine.bundle * width;
  SummedBundle<T, width> sums{bundle_of<width>(a, x, y, k, false, mine.bundle), own_x + column, work};
  if (sums.work.weight != nullptr) sums.work.weight += column;
  if (sums.work.factors.w != nullptr) sums.work.factors.w += column;
  if (mine.has_row())
    for (offset row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row; row < a.rows;
         row += static_cast<offset>(gridDim.x) * mine.rows) {
      sums.send_for_y(row);
      const RowElements<View> elements(a, row);
      Bundle<D, width> sum{};
      add_elements(sums.bundle, elements.first, 1, elements.last, elements, sum);
      sums.store(row, sum);
    }
  leave_sums(sums, mine, work);
}

/// launch_summed_columns_cuda() for views with RowElements.
template <class View>
int launch_rows_summed(const View& view, const typename View::Value* x, typename View::Value* y,
                       const typename View::Value* own_x, int k, const RowWork<typename View::Value>& work,
                       void* stream) {
  if (view.rows == 0) return 0;
  int parts = 0;
  with_bundle_width<typename View::Value>(k, [&](auto width) {
    constexpr auto kernel = multiply_rows_summed_kernel<width.value, View>;
    const offset resident = resident_blocks<kernel>(multi_block_threads, 0);
    // A product may be of two blocks, whose parts share the room.
    const offset most = work.sums() ? std::min<offset>(resident, work.room / 2) : resident;
    const offset blocks = std::min(std::max<offset>(most, 1), blocks_of_rows(view.rows, k, width));
    parts = parts_of(work, blocks);
    launch_behind<kernel>(static_cast<unsigned>(blocks), multi_block_threads, 0,
                          static_cast<cudaStream_t>(stream), view, as_device(x), as_device(y),
                          as_device(own_x), k, work);
  });
  return parts;
}

}  // namespace spmv
