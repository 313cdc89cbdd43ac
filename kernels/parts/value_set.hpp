// The few different values of a matrix, if they are few.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// More values than this have no 8-bit numbers.
inline constexpr int most_dictionary_values = 256;

template <class T>
bool same_bits(const T& a, const T& b) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): by their bits, since -0 is another value than 0.
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Different values, by their bits: -0 is not 0, and NaNs with different bits are different. A hash table of
/// its own because every nonzero is looked up in it: too often for a std::set.
template <class T>
class ValueSet {
 public:
  /// False once there are more than most_dictionary_values.
  bool insert(const T& value) {
    std::uint64_t bits[2] = {};
    std::memcpy(bits, &value, sizeof(T));
    std::size_t at = ((bits[0] ^ (bits[1] * 31)) * 0x9e3779b97f4a7c15u) >> 54;
    while (used_[at] && !same_bits(slots_[at], value)) at = (at + 1) % slots_.size();
    if (used_[at]) return true;
    if (count_ == most_dictionary_values) return false;
    used_[at] = true;
    slots_[at] = value;
    ++count_;
    return true;
  }
  /// False once the union has more.
  bool insert_all(const ValueSet& other) {
    for (std::size_t at = 0; at < slots_.size(); ++at)
      if (other.used_[at] && !insert(other.slots_[at])) return false;
    return true;
  }
  int count() const { return count_; }
  std::vector<T> values() const {
    std::vector<T> values;
    for (std::size_t at = 0; at < slots_.size(); ++at)
      if (used_[at]) values.push_back(slots_[at]);
    return values;
  }

 private:
  std::array<T, 1024> slots_{};
  std::array<bool, 1024> used_{};
  int count_ = 0;
};

/// Values that follow each other in memory: a std::span, which CUDA's sources, in C++17, do not have.
template <class T>
struct ValueRange {
  const T* first;
  const T* last;
  const T* begin() const { return first; }
  const T* end() const { return last; }
};

/// The different values of part(0) .. part(parts - 1), each a ValueRange, unordered; empty if there are more than
/// most_dictionary_values, or none at all. Local, OpenMP.
template <class T, class Part>
std::vector<T> few_values_of_parts(offset parts, const Part& part) {
  ValueSet<T> all;
  bool overflow = false;
#pragma omp parallel
  {
    ValueSet<T> mine;
    bool fits = true;
    const T* last = nullptr;  // inserted: runs of one value are frequent
#pragma omp for schedule(static)
    for (offset p = 0; p < parts; ++p) {
      if (!fits) continue;
      for (const T& value : part(p)) {
        if (last != nullptr && same_bits(*last, value)) continue;
        last = &value;
        fits = mine.insert(value);
        if (!fits) break;
      }
    }
#pragma omp critical(spmv_few_values)
    overflow = overflow || !fits || !all.insert_all(mine);
  }
  return overflow ? std::vector<T>{} : all.values();
}

/// The same of an array.
template <class T>
std::vector<T> few_values(const std::vector<T>& array) {
  static constexpr std::size_t part_size = 4096;
  const auto parts = static_cast<offset>((array.size() + part_size - 1) / part_size);
  return few_values_of_parts<T>(parts, [&array](offset part) {
    const std::size_t first = static_cast<std::size_t>(part) * part_size;
    const T* const values = array.data() + first;
    return ValueRange<T>{values, values + std::min<std::size_t>(part_size, array.size() - first)};
  });
}

}  // namespace spmv
