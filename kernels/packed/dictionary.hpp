#pragma once

#include <algorithm>
#include <vector>

#include "kernels/packed/pack.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {

/// The different values, and hole() if there are `holes`, sorted by their bits; empty if they are too many for 8-bit
/// numbers.
template <class T>
std::vector<T> make_dictionary(const std::vector<T>& values, bool holes = false) {
  std::vector<T> dictionary = few_values(values);
  if (holes && dictionary.size() == most_dictionary_values) return {};
  if (holes && !dictionary.empty()) dictionary.push_back(hole<T>());
  std::sort(dictionary.begin(), dictionary.end(),
            [](const T& a, const T& b) { return bits_of(a) < bits_of(b); });
  return dictionary;
}

}  // namespace spmv
