#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns_device.cuh"

namespace spmv {
namespace {

template <int batch, bool marked, bool shared_rows, class View>
__global__ void __launch_bounds__(most_columns_threads, columns_blocks_per_multiprocessor)
    multiply_columns_kernel(const View a, const DeviceValue<typename View::Value>* x,
                            DeviceValue<typename View::Value>* y, bool add_to_y) {
  extern __shared__ __align__(16) unsigned char shared[];
  wait_for_last();
  let_next_begin();
  multiply_columns<batch, marked, shared_rows>(a, blockIdx.x, WholeX<DeviceValue<typename View::Value>>{x}, y,
                                               add_to_y, shared);
}

template <int batch, bool marked, class View>
void launch(const View& view, const typename View::Value* x, typename View::Value* y, bool add_to_y,
            cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(columns_blocks(view));
  const int threads = view.threads_per_block;
  if (view.threads_per_row == 1)
    launch_behind<multiply_columns_kernel<batch, marked, false, View>>(blocks, threads, 0, stream, view,
                                                                       as_device(x), as_device(y), add_to_y);
  else
    launch_behind<multiply_columns_kernel<batch, marked, true, View>>(
        blocks, threads, threads * sizeof(typename View::Value), stream, view, as_device(x), as_device(y),
        add_to_y);
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
  if (view.rows == 0) return;
  constexpr int wide = sizeof(typename View::Value) > 8 ? 4 : 8;  // 8 of complex_double would cost occupancy
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool add_to_y = update == Update::add;
  if (view.row_length == nullptr)
    launch<wide, true>(view, x, y, add_to_y, cuda_stream);
  else if (view.unroll < 8)
    launch<wide / 2, false>(view, x, y, add_to_y, cuda_stream);
  else
    launch<wide, false>(view, x, y, add_to_y, cuda_stream);
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
SPMV_INSTANTIATE_WITH(launch_build_cuda, StridedFill);
SPMV_INSTANTIATE_WITH(launch_build_cuda, JaggedFill);
SPMV_INSTANTIATE_WITH(launch_build_cuda, SlicedFill);

}  // namespace spmv
