// How many thread blocks of a kernel a GPU holds at once. A product is too short to ask CUDA for it every time.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"

namespace spmv {

/// The same as resident_blocks(), asked of CUDA. `kernel` may use `shared_bytes` of dynamic shared memory
/// afterwards, which CUDA wants to be told where these are more than 48 KiB. A kernel that needs so much needs always
/// the same.
inline int ask_resident_blocks(const void* kernel, int device, int threads, std::size_t shared_bytes) {
  int multiprocessors = 0, per_multiprocessor = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "count multiprocessors");
  constexpr std::size_t granted_unasked = 48 * 1024;
  if (shared_bytes > granted_unasked)
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)),
               "ask for shared memory");
  cuda_check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, shared_bytes),
      "ask how many thread blocks fit");
  return multiprocessors * per_multiprocessor;
}

/// Thread blocks of `kernel`, of `threads` threads and `shared_bytes` of dynamic shared memory, that the current
/// device holds at once; 0 if one alone does not fit. CUDA is asked once for every device and shape of a block.
/// May be called by several threads at once. Throws Error if CUDA refuses.
template <auto kernel>
int resident_blocks(int threads, std::size_t shared_bytes) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, std::size_t>, int> known;
  int device = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  const std::scoped_lock lock(mutex);
  const auto [at, is_new] = known.try_emplace({device, threads, shared_bytes}, 0);
  if (is_new)
    at->second = ask_resident_blocks(reinterpret_cast<const void*>(kernel), device, threads, shared_bytes);
  return at->second;
}

/// The architecture that `kernel` was compiled for, as the current device runs it: 90 for compute capability 9.0. CUDA
/// is asked once for every device. May be called by several threads at once. Throws Error if CUDA refuses.
template <auto kernel>
int compiled_for() {
  static std::mutex mutex;
  static std::map<int, int> known;
  int device = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  const std::scoped_lock lock(mutex);
  const auto [at, is_new] = known.try_emplace(device, 0);
  if (is_new) {
    cudaFuncAttributes compiled{};
    cuda_check(cudaFuncGetAttributes(&compiled, reinterpret_cast<const void*>(kernel)),
               "ask how a kernel was compiled");
    at->second = compiled.ptxVersion;
  }
  return at->second;
}

}  // namespace spmv
