// How many thread blocks of a kernel a GPU holds at once, and how its shared memory is divided. The answers are kept, because
// a product is too short to ask CUDA every time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"

namespace spmv {

/// Answers of CUDA, asked once for every device and key. May be used by several threads at once.
template <class Key>
class Answers {
 public:
  /// ask(device), or what it returned before for the current device and this key. Throws what ask throws.
  template <class Ask>
  int get(const Key& key, const Ask& ask) {
    int device = 0;
    cuda_check(cudaGetDevice(&device), "ask for the device");
    const std::scoped_lock lock(mutex_);
    const auto at = known_.find({device, key});
    if (at != known_.end()) return at->second;
    return known_[{device, key}] = ask(device);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, Key>, int> known_;
};

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
/// device holds at once; 0 if one alone does not fit. May be called by several threads at once. Throws Error if CUDA
/// refuses.
template <auto kernel>
int resident_blocks(int threads, std::size_t shared_bytes) {
  static Answers<std::pair<int, std::size_t>> known;
  return known.get({threads, shared_bytes}, [&](int device) {
    return ask_resident_blocks(reinterpret_cast<const void*>(kernel), device, threads, shared_bytes);
  });
}

/// What cudaFuncGetAttributes() says of a kernel. Throws Error if CUDA refuses.
inline cudaFuncAttributes attributes_of(const void* kernel) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "ask how a kernel was compiled");
  return attributes;
}

/// The architecture that `kernel` was compiled for, as the current device runs it: 90 for compute capability 9.0. May be
/// called by several threads at once. Throws Error if CUDA refuses.
template <auto kernel>
int compiled_for() {
  static Answers<int> known;
  return known.get(0, [](int) { return attributes_of(reinterpret_cast<const void*>(kernel)).ptxVersion; });
}

/// The same as leave_first_cache(), asked of CUDA. Returns the percentage that was asked for.
inline int ask_for_shared_memory(const void* kernel, int device, int blocks) {
  int reserved = 0, most = 0;
  cuda_check(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device),
             "ask what a thread block reserves");
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
             "ask for the size of shared memory");
  const int needed = blocks * (static_cast<int>(attributes_of(kernel).sharedSizeBytes) + reserved);
  const int percent = std::min(100, (100 * needed + most - 1) / most);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent),
             "ask for shared memory");
  return percent;
}

/// Leaves a multiprocessor's memory to its first cache, but for the static shared memory of so many thread blocks of
/// `kernel`. Left to itself, CUDA takes more. May be called by several threads at once. Throws Error if CUDA refuses.
template <auto kernel>
void leave_first_cache(int blocks) {
  static Answers<int> known;
  known.get(blocks, [=](int device) {
    return ask_for_shared_memory(reinterpret_cast<const void*>(kernel), device, blocks);
  });
}

}  // namespace spmv
