// Copies from the GPU's memory into the shared memory of a thread block that arrive while its threads compute. A
// block has a ring of stages; it computes on one while the others fill:
//
//     time ──►
//     stage 0   ▒▒▒▒▒▒▒███████▒▒▒▒▒▒▒▒▒▒▒▒▒▒███████▒▒▒▒▒       ▒ copies under way
//     stage 1   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒███████▒▒▒▒▒▒▒▒▒▒▒▒▒▒███████       █ threads compute
//
// From compute capability 9.0 on one thread starts the copies, in bulk, and the hardware does the rest. Before that
// all threads take part in starting them, and each waits for its own.
#pragma once

#include <cstdint>

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "core/types.hpp"
#include "kernels/parts/read_once.cuh"

namespace spmv {

inline constexpr int copy_unit = 16;  // bytes: addresses and sizes of copies are multiples

/// Whole units around `bytes` bytes that begin at byte `at`.
struct WholeUnits {
  offset from;  // byte where they begin
  int before;   // bytes of them in front of `at`
  int bytes;    // of all units
};
__host__ __device__ __forceinline__ WholeUnits whole_units(offset at, int bytes) {
  const auto before = static_cast<int>(at % copy_unit);
  return {at - before, before, (before + bytes + copy_unit - 1) / copy_unit * copy_unit};
}

/// Starts to copy one unit to shared memory, apart from any ring; the thread may call words_arrived() to wait for it.
__device__ __forceinline__ void fetch_word(uint4* to, const uint4* from) {
#if __CUDA_ARCH__ >= 900
  __pipeline_memcpy_async(to, from, sizeof(uint4));
  __pipeline_commit();
#else
  *to = __ldg(from);  // the ring counts what is under way
#endif
}
/// Blocks until all that this thread has fetched is there.
__device__ __forceinline__ void words_arrived() {
#if __CUDA_ARCH__ >= 900
  __pipeline_wait_prior(0);
#endif
}

/// The barriers of a ring, in shared memory. A stage is used so: begin(), copy() any number of times, end(); then
/// wait(), computing, __syncthreads(), and from the start. The stages take turns.
template <int stages>
class CopyRing {
 public:
  /// By all threads of the block.
  __device__ __forceinline__ void initialise() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&arrived_[stage])) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
#endif
  }
  /// Whether this thread is one of those that call begin(), copy() and end().
  __device__ __forceinline__ static bool starts_copies() {
#if __CUDA_ARCH__ >= 900
    return threadIdx.x == 0;
#else
    return true;
#endif
  }
  /// Copies of `bytes` in all will follow.
  __device__ __forceinline__ void begin([[maybe_unused]] int stage, [[maybe_unused]] int bytes) {
#if __CUDA_ARCH__ >= 900
    // What the threads have read and written before the __syncthreads() is over when the copies write.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&arrived_[stage])),
                 "r"(bytes)
                 : "memory");
#endif
  }
  /// `bytes` whole units from `from` to shared memory at `to`.
  __device__ __forceinline__ void copy([[maybe_unused]] int stage, [[maybe_unused]] const ReadOnce& once,
                                       void* to, const void* from, int bytes) {
#if __CUDA_ARCH__ >= 900
    if (bytes == 0) return;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(address(to)),
        "l"(from), "r"(bytes), "r"(address(&arrived_[stage])), "l"(once.policy())
        : "memory");
#else
    for (int at = static_cast<int>(threadIdx.x) * copy_unit; at < bytes;
         at += static_cast<int>(blockDim.x) * copy_unit)
      __pipeline_memcpy_async(static_cast<unsigned char*>(to) + at,
                              static_cast<const unsigned char*>(from) + at, copy_unit);
#endif
  }
  /// No more copies for this stage. On every stage in turn, also on one that gets none.
  __device__ __forceinline__ void end() {
#if __CUDA_ARCH__ < 900
    __pipeline_commit();
#endif
  }
  /// By all threads: blocks until the stage's copies have arrived. `parity`: 0 in the first round, then 1, 0, 1, ...
  __device__ __forceinline__ void wait([[maybe_unused]] int stage, [[maybe_unused]] unsigned parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n"
        ".reg .pred there;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
        "@there bra done;\n"
        "bra again;\n"
        "done:\n"
        "}\n" ::"r"(address(&arrived_[stage])),
        "r"(parity)
        : "memory");
#else
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
#endif
  }

 private:
  __device__ __forceinline__ static std::uint32_t address(const void* at) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  }

  std::uint64_t arrived_[stages];
};

}  // namespace spmv
