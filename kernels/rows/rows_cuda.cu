// CSR with several threads per row [Bordawekar 2013]; CRS(vector) in [Vazquez 2011, sect. 3.4], with a chosen
// number of threads.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/x_access.cuh"
#include "kernels/rows/rows_device.cuh"

namespace spmv {
namespace {

template <int width, class T>
__global__ void __launch_bounds__(most_rows_threads)
    multiply_rows_kernel(const CsrView<T> view, const DeviceValue<T>* x, DeviceValue<T>* y, bool add_to_y) {
  multiply_rows<width>(view, blockIdx.x, WholeX<DeviceValue<T>>{x}, y, add_to_y);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  with_row_width(view.threads_per_row, [&](auto width) {
    multiply_rows_kernel<width.value>
        <<<rows_blocks(view), view.threads_per_block, 0, static_cast<cudaStream_t>(stream)>>>(
            view, as_device(x), as_device(y), update == Update::add);
  });
  cuda_check(cudaGetLastError(), "launch CSR (rows_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, CsrView);

}  // namespace spmv
