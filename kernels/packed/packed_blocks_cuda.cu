#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "kernels/packed/packed_blocks.cuh"

namespace spmv {
namespace {

template <int b, bool holes, class T>
__global__ void __launch_bounds__(block_kernel_threads<b>, block_kernels_per_multiprocessor<b>)
    multiply_blocks_kernel(const PackedView<T> a, const DeviceValue<T>* x, SummedRows<T> rows,
                           bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  wait_for_last();
  let_next_begin();
  multiply_block_rows<b, holes>(a, static_cast<lidx>(blockIdx.x), WholeX<D>{x}, rows, add_to_y,
                                reinterpret_cast<D*>(shared_bytes));
  leave_sums(rows);
}

}  // namespace

template <class T>
int launch_packed_blocks(const PackedView<T>& view, const T* x, const SummedRows<T>& rows, Update update,
                         cudaStream_t stream) {
  int blocks = 0;
  for_block_size(view, view.holes, [&](auto b, auto holes) {
    constexpr int size = decltype(b)::value;
    blocks = launch<multiply_blocks_kernel<size, decltype(holes)::value, T>>(
        view, block_kernel_threads<size>, 0, x, rows, update == Update::add, stream);
  });
  return blocks;
}

SPMV_INSTANTIATE(launch_packed_blocks);

}  // namespace spmv
