#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns_device.cuh"

namespace spmv {
namespace {

template <int batch, bool marked, bool shared_rows, class Rows, class View>
__global__ void __launch_bounds__(most_columns_threads, columns_blocks_per_multiprocessor)
    multiply_columns_kernel(const View a, offset blocks, const DeviceValue<typename View::Value>* x, Rows y,
                            bool add_to_y) {
  extern __shared__ __align__(16) unsigned char shared[];
  wait_for_last();
  let_next_begin();
  const auto multiply = [&](offset block) {
    multiply_columns<batch, marked, shared_rows>(a, block, WholeX<DeviceValue<typename View::Value>>{x}, y,
                                                 add_to_y, shared);
  };
  if constexpr (sums<Rows>)
    for_blocks_of_rows<shared_rows>(blockIdx.x, gridDim.x, blocks, multiply);
  else
    multiply(blockIdx.x);
  leave_sums(y);
}

/// Rows go to `y`, a pointer or SummedRows. Returns the number of thread blocks.
template <int batch, bool marked, bool shared_rows, class Rows, class View>
int launch_rows(const View& view, const typename View::Value* x, const Rows& y, bool add_to_y,
                cudaStream_t stream) {
  constexpr auto kernel = multiply_columns_kernel<batch, marked, shared_rows, Rows, View>;
  const int threads = view.threads_per_block;
  const std::size_t shared_bytes = shared_rows ? threads * sizeof(typename View::Value) : 0;
  const offset blocks = columns_blocks(view);
  // Those that sum are few, and go through several blocks of rows each, so that they leave few parts.
  const auto launched = static_cast<int>(
      sums<Rows> ? std::min<offset>(blocks, resident_blocks<kernel>(threads, shared_bytes)) : blocks);
  launch_behind<kernel>(static_cast<unsigned>(launched), threads, shared_bytes, stream, view, blocks,
                        as_device(x), y, add_to_y);
  return launched;
}

template <int batch, bool marked, class Rows, class View>
int launch(const View& view, const typename View::Value* x, const Rows& y, bool add_to_y,
           cudaStream_t stream) {
  if (view.threads_per_row == 1) return launch_rows<batch, marked, false>(view, x, y, add_to_y, stream);
  return launch_rows<batch, marked, true>(view, x, y, add_to_y, stream);
}

template <class View, class Rows>
int launch_any(const View& view, const typename View::Value* x, const Rows& y, bool add_to_y, void* stream) {
  constexpr int wide = sizeof(typename View::Value) > 8 ? 4 : 8;  // 8 of complex_double would cost occupancy
  const auto on = static_cast<cudaStream_t>(stream);
  if (view.row_length == nullptr) return launch<wide, true>(view, x, y, add_to_y, on);
  if (view.unroll < 8) return launch<wide / 2, false>(view, x, y, add_to_y, on);
  return launch<wide, false>(view, x, y, add_to_y, on);
}

/// Several threads read a row; the writes of neighbouring rows meet in the L2 cache.
template <class T, class Placement>
__global__ void fill_kernel(ColumnsFill<T, Placement> fill) {
  constexpr int threads = 8;  // of a row
  const offset thread = static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const offset row = thread / threads;
  if (row >= fill.from.rows) return;
  const offset first = fill.from.begin(row);
  const offset length = fill.from.end(row) - first;
  for (offset j = thread % threads; j < length; j += threads) {
    const offset at = fill.placement.at(row, static_cast<lidx>(j));
    fill.col[at] = fill.from.column(first + j);
    as_device(fill.value)[at] = as_device(fill.from.value)[first + j];
  }
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows > 0) launch_any(view, x, as_device(y), update == Update::add, stream);
}

template <class View>
int launch_summed_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                       const typename View::Value* own_x, const RowSumsRequest<typename View::Value>& sums,
                       void* stream) {
  if (view.rows == 0) return 0;
  const SummedRows<typename View::Value> rows{as_device(y), as_device(own_x), sums};
  return checked_parts(launch_any(view, x, rows, false, stream), sums.room);
}

template <class Step>
void launch_build_cuda(const Step& fill, void* stream) {
  if (fill.from.rows == 0) return;
  constexpr offset block_rows = 32;
  fill_kernel<<<static_cast<unsigned>((fill.from.rows + block_rows - 1) / block_rows), 256, 0,
                static_cast<cudaStream_t>(stream)>>>(fill);
  cuda_check(cudaGetLastError(), "fill columns (columns_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_cuda, SlicedView);
SPMV_INSTANTIATE_WITH(launch_summed_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_summed_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_summed_cuda, SlicedView);
SPMV_INSTANTIATE_WITH(launch_build_cuda, StridedFill);
SPMV_INSTANTIATE_WITH(launch_build_cuda, JaggedFill);
SPMV_INSTANTIATE_WITH(launch_build_cuda, SlicedFill);

}  // namespace spmv
