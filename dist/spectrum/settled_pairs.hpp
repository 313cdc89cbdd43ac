// Which approximate eigenpairs have converged, by their numbers from the wanted end of the spectrum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace spmv {

/// Local, as all that follows.
class SettledPairs {
 public:
  /// Pair number `pair` has converged, with this eigenvalue.
  void settle(int pair, double value) {
    const auto at = static_cast<std::size_t>(pair);
    if (values_.size() <= at) values_.resize(at + 1, open);
    values_[at] = value;
  }
  void reopen(int pair) { values_[static_cast<std::size_t>(pair)] = open; }
  /// Those from `pair` on have not.
  void reopen_from(int pair) { values_.resize(std::min(values_.size(), static_cast<std::size_t>(pair))); }
  /// Where an eigenvalue has moved by more than `apart`, one has come up before it, and those from there on have other numbers.
  void follow(const std::vector<double>& values, double apart) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (i >= values.size() || std::abs(values_[i] - values[i]) > apart)
        return reopen_from(static_cast<int>(i));
  }

  bool contains(int pair) const {
    const auto at = static_cast<std::size_t>(pair);
    return at < values_.size() && !std::isnan(values_[at]);
  }
  bool contains_first(int count) const {
    for (int i = 0; i < count; ++i)
      if (!contains(i)) return false;
    return true;
  }
  /// How many there are.
  std::ptrdiff_t size() const {
    return std::count_if(values_.begin(), values_.end(), [](double value) { return !std::isnan(value); });
  }
  /// The first others of so many pairs, at most `most`.
  std::vector<int> first_others(int pairs, int most) const {
    std::vector<int> others;
    for (int i = 0; i < pairs && static_cast<int>(others.size()) < most; ++i)
      if (!contains(i)) others.push_back(i);
    return others;
  }

 private:
  static constexpr double open = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values_;
};

/// Whether among values in order there is one, before the last, that is there `most` times or more; those that are at most `apart`
/// count as the same. Pure.
inline bool any_repeated(const std::vector<double>& values, int most, double apart) {
  int times = 1;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::abs(values[i] - values[i - 1]) <= apart) {
      ++times;
      continue;
    }
    if (times >= most) return true;
    times = 1;
  }
  return false;
}

}  // namespace spmv
