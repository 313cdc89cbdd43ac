#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "kernels/packed/packed_blocks.cuh"

namespace spmv {
namespace {

template <int b, bool holes, class T, class Rows>
__global__ void __launch_bounds__(block_kernel_threads<b>, block_kernels_per_multiprocessor<b>)
    multiply_blocks_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x, Rows y,
                           bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  multiply_block_rows<b, holes>(a, static_cast<lidx>(blockIdx.x), WholeX<D>{x}, y, add_to_y,
                                reinterpret_cast<D*>(shared_bytes));
  leave_sums(y);
}

}  // namespace

template <class T, class Rows>
int launch_packed_blocks(const PackedView<T>& view, const T* x, const Rows& y, bool add_to_y,
                         cudaStream_t stream) {
  int blocks = 0;
  for_block_size(view, view.holes, [&](auto b, auto holes) {
    constexpr int size = decltype(b)::value;
    blocks = launch(multiply_blocks_kernel<size, decltype(holes)::value, T, Rows>, view,
                    block_kernel_threads<size>, 0, x, y, add_to_y, stream);
  });
  return blocks;
}

template <class T>
using Pointer = DeviceValue<T>*;
template int launch_packed_blocks(const PackedView<ValueType<0>>&, const ValueType<0>*,
                                  Pointer<ValueType<0>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<0>>&, const ValueType<0>*,
                                  SummedRows<ValueType<0>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<1>>&, const ValueType<1>*,
                                  Pointer<ValueType<1>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<1>>&, const ValueType<1>*,
                                  SummedRows<ValueType<1>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<2>>&, const ValueType<2>*,
                                  Pointer<ValueType<2>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<2>>&, const ValueType<2>*,
                                  SummedRows<ValueType<2>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<3>>&, const ValueType<3>*,
                                  Pointer<ValueType<3>> const&, bool, cudaStream_t);
template int launch_packed_blocks(const PackedView<ValueType<3>>&, const ValueType<3>*,
                                  SummedRows<ValueType<3>> const&, bool, cudaStream_t);

}  // namespace spmv
