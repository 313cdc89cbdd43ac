// Pseudorandom bits of numbers, the same on hosts and devices.
#pragma once

#include <cstdint>

namespace spmv {

/// 64 well-mixed bits of (key, salt): splitmix64. Pure.
constexpr std::uint64_t mixed_bits(std::uint64_t key, std::uint64_t salt) {
  std::uint64_t z = key + 0x9e3779b97f4a7c15U * (salt + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace spmv
