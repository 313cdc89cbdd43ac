// Pseudorandom numbers as a pure function of their place, so that every row can be made on its own.
#pragma once

#include <cstdint>

namespace spmv {

/// 64 bits, each of which depends on every bit of `x` (the finalizer of SplitMix64; Steele, Lea, Flood, 2014).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return mixed(mixed(a) ^ b);
}

/// In (0, 1), both ends excluded.
inline double unit_value(std::uint64_t hash) {
  return (static_cast<double>(hash >> 12) + 0.5) * 0x1p-52;
}

/// In (-1, 1), never 0.
inline double signed_value(std::uint64_t hash) {
  return 2 * unit_value(hash) - 1;
}

}  // namespace spmv
