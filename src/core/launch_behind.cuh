// Kernels whose thread blocks are placed on the GPU while the kernel before them in their queue still runs: from compute
// capability 9.0 on (programmatic dependent launch). On older GPUs they are kernels like any other.
//
//     time ──►
//     kernel k - 1    ████████████████                   its blocks call let_next_begin()
//     kernel k                 ██░░░░░█████████████      launched after it; calls wait_for_last() where ░ ends
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/resident.cuh"

namespace spmv {

/// When all blocks of a kernel have called this, or have ended, blocks of the kernel launched after it may be placed.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Returns when the kernel before, which has let this one begin, has ended, and all that it wrote can be seen. Every kernel that
/// is launched after another calls it in all threads: what follows it in the queue waits for it alone.
__device__ __forceinline__ void wait_for_last() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Whether launch_behind() places blocks of `kernel` early on the current device: what runs there was compiled for a GPU that
/// can, so that wait_for_last() waits. Throws Error if CUDA refuses.
template <auto kernel>
bool begins_early() {
  constexpr int first_that_can = 90;
  return compiled_for<kernel>() >= first_that_can;
}

/// Launches a kernel that calls wait_for_last(). Its blocks are placed as soon as blocks of the kernel before it leave room,
/// so that the GPU is not empty while a kernel is launched, nor while the last few blocks of the kernel before finish. They
/// cannot take the room of that kernel's own blocks: these have all begun by then. Throws Error if CUDA refuses.
template <auto kernel, class... Arguments>
void launch_behind(unsigned blocks, int threads, std::size_t shared_bytes, cudaStream_t stream,
                   const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = begins_early<kernel>() ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...), "launch a product or an exchange");
}

}  // namespace spmv
