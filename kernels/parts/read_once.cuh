// Loads of what a product reads once. In the first cache their lines make way for those of x at once. In the second cache
// a share of them is kept for the next product (read_once.hpp), always the same ones, and the others make way.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace spmv {

class ReadOnce {
 public:
  /// `kept`: see share_to_keep().
  __device__ __forceinline__ explicit ReadOnce([[maybe_unused]] float kept) {
#if __CUDA_ARCH__ >= 800
    if (kept > 0)
      asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, %1;"
          : "=l"(policy_)
          : "f"(kept));
    else
      asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy_));
#endif
  }

  /// What is at `at`, which does not change while the kernel runs: 1, 2, 4, 8 or 16 bytes, aligned to their number.
  template <class E>
  __device__ __forceinline__ E load(const E* at) const {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(E) == 1) {
      unsigned word;
      asm("ld.global.nc.L1::evict_first.L2::cache_hint.u8 %0, [%1], %2;"
          : "=r"(word)
          : "l"(at), "l"(policy_));
      return static_cast<E>(word);
    } else if constexpr (sizeof(E) == 2) {
      std::uint16_t word;
      asm("ld.global.nc.L1::evict_first.L2::cache_hint.u16 %0, [%1], %2;"
          : "=h"(word)
          : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, word);
    } else if constexpr (sizeof(E) == 4) {
      unsigned word;
      asm("ld.global.nc.L1::evict_first.L2::cache_hint.u32 %0, [%1], %2;"
          : "=r"(word)
          : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, word);
    } else if constexpr (sizeof(E) == 8) {
      std::uint64_t word;
      asm("ld.global.nc.L1::evict_first.L2::cache_hint.u64 %0, [%1], %2;"
          : "=l"(word)
          : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, word);
    } else {
      static_assert(sizeof(E) == 16);
      ulonglong2 words;
      asm("ld.global.nc.L1::evict_first.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
          : "=l"(words.x), "=l"(words.y)
          : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, words);
    }
#else
    return __ldcs(at);
#endif
  }

  /// The same, 4, 8 or 16 bytes, where other threads read the rest of the line: it stays in the first cache like any other.
  template <class E>
  __device__ __forceinline__ E load_with_line(const E* at) const {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(E) == 4) {
      unsigned word;
      asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(word) : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, word);
    } else if constexpr (sizeof(E) == 8) {
      std::uint64_t word;
      asm("ld.global.nc.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(word) : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, word);
    } else {
      static_assert(sizeof(E) == 16);
      ulonglong2 words;
      asm("ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
          : "=l"(words.x), "=l"(words.y)
          : "l"(at), "l"(policy_));
      return __builtin_bit_cast(E, words);
    }
#else
    return __ldg(at);
#endif
  }

  /// For copies that take a policy of the second cache.
  __device__ __forceinline__ std::uint64_t policy() const {
    return policy_;
  }

 private:
  std::uint64_t policy_ = 0;
};

}  // namespace spmv
