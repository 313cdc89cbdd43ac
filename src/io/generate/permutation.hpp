// A pseudorandom permutation without a table: a Feistel network with cycle walking.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "core/types.hpp"
#include "io/generate/hash.hpp"

namespace spmv {

/// A permutation of 0 .. size - 1, fixed by `seed`. Immutable. size >= 1.
///
/// A network of four rounds permutes all numbers of 2 h bits, of which there are fewer than 4 size. It is applied again
/// while its result is not below size.
class Permutation {
 public:
  Permutation(gidx size, std::uint64_t seed) : size_(static_cast<std::uint64_t>(size)) {
    while (half_bits_ < 31 && (std::uint64_t{1} << (2 * half_bits_)) < size_) ++half_bits_;
    for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = mixed(seed, round);
  }

  gidx operator()(gidx i) const {
    auto x = static_cast<std::uint64_t>(i);
    do x = forward(x);
    while (x >= size_);
    return static_cast<gidx>(x);
  }
  gidx inverse(gidx i) const {
    auto x = static_cast<std::uint64_t>(i);
    do x = backward(x);
    while (x >= size_);
    return static_cast<gidx>(x);
  }

 private:
  std::uint64_t mask() const { return (std::uint64_t{1} << half_bits_) - 1; }
  std::uint64_t forward(std::uint64_t x) const {
    std::uint64_t left = x >> half_bits_, right = x & mask();
    for (const std::uint64_t key : keys_) {
      left ^= mixed(right ^ key) & mask();
      std::swap(left, right);
    }
    return left << half_bits_ | right;
  }
  std::uint64_t backward(std::uint64_t x) const {
    std::uint64_t left = x >> half_bits_, right = x & mask();
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
      std::swap(left, right);
      left ^= mixed(right ^ *key) & mask();
    }
    return left << half_bits_ | right;
  }

  std::uint64_t size_;
  int half_bits_ = 1;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace spmv
