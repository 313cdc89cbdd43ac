#pragma once

#include <cuda_runtime.h>

#include "kernels/local_operator.hpp"
#include "kernels/tiles/tiles.hpp"

namespace spmv {

/// Queues the product of a view that is streamed.
template <class T>
void launch_streamed(const TilesView<T>& view, const T* x, T* y, Update update, cudaStream_t stream);

}  // namespace spmv
