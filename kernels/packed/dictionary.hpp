#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {

/// Different values, as few_values() gives them, and hole() if there are `holes`, sorted by their bits; empty if they are too
/// many for 8-bit numbers.
template <class T>
std::vector<T> sorted_dictionary(std::vector<T> dictionary, bool holes = false) {
  if (holes && dictionary.size() == most_dictionary_values) return {};
  if (holes && !dictionary.empty()) dictionary.push_back(hole<T>());
  std::sort(dictionary.begin(), dictionary.end(),
            [](const T& a, const T& b) { return bits_of(a) < bits_of(b); });
  return dictionary;
}

/// The dictionary of these values.
template <class T>
std::vector<T> make_dictionary(const std::vector<T>& values, bool holes = false) {
  return sorted_dictionary(few_values(values), holes);
}

/// make_dictionary() of `values`. The `count` values on the device are the same ones and holes. The dictionary of a part of
/// them is the right one if the device finds all of them in it, and a GPU checks that faster than a host makes a dictionary
/// of all. Where the device is the host it is done in the same way. Local; blocks.
template <class T>
std::vector<T> find_dictionary(const std::vector<T>& values, bool holes, const T* on_device, offset count,
                               const std::shared_ptr<Backend>& backend);

}  // namespace spmv
