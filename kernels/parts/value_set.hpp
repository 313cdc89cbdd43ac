// The few different values of a matrix, if they are few.
#pragma once

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

/// The different values of an array, unordered; empty if there are more than most_dictionary_values, or none
/// at all. Local, OpenMP.
template <class T>
std::vector<T> few_values(const std::vector<T>& array) {
  ValueSet<T> all;
  bool overflow = false;
#pragma omp parallel
  {
    ValueSet<T> mine;
    bool fits = true;
    const T* last = nullptr;  // inserted: runs of one value are frequent
#pragma omp for schedule(static)
    for (offset k = 0; k < static_cast<offset>(array.size()); ++k) {
      if (!fits || (last != nullptr && same_bits(*last, array[k]))) continue;
      last = &array[k];
      fits = mine.insert(*last);
    }
#pragma omp critical(spmv_few_values)
    overflow = overflow || !fits || !all.insert_all(mine);
  }
  return overflow ? std::vector<T>{} : all.values();
}

}  // namespace spmv
