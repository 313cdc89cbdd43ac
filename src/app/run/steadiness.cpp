#include "app/run/steadiness.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/statistics.hpp"

namespace spmv {
namespace {

/// Whether the medians of both halves of a series differ by more than chance, and enough to matter.
bool drifts(const std::vector<double>& seconds) {
  constexpr double matters = 0.02;
  constexpr std::ptrdiff_t least = 10;
  const auto half = static_cast<std::ptrdiff_t>(seconds.size() / 2);
  if (half < least) return false;
  const std::vector<double> first(seconds.begin(), seconds.begin() + half);
  const std::vector<double> second(seconds.begin() + half, seconds.end());
  const MedianInterval a = median_interval(first), b = median_interval(second);
  return (a.high < b.low || b.high < a.low) &&
         std::abs(median(second) - median(first)) > matters * median(first);
}

/// A part of a sorted sample.
struct Kind {
  double mean = 0;
  double variance = 0;
};

/// A sorted sample as sums of it and of its squares up to every element, for the mean and variance of any part.
class SortedSample {
 public:
  explicit SortedSample(const std::vector<double>& sorted) {
    for (const double value : sorted) {
      sum_.push_back(sum_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }
  Kind part(std::size_t begin, std::size_t end) const {
    const auto n = static_cast<double>(end - begin);
    const double mean = (sum_[end] - sum_[begin]) / n;
    return {mean, std::max(0.0, (squares_[end] - squares_[begin]) / n - mean * mean)};
  }

 private:
  std::vector<double> sum_{0}, squares_{0};
};

/// Whether the times are of two kinds: cut where the two parts explain most of the variance (Otsu 1979), the means are
/// far apart, both against the parts' own spread (Ashman's D: even a uniform sample has 3.5) and against the time itself.
bool is_bimodal(std::vector<double> seconds) {
  constexpr std::size_t least_samples = 20;
  constexpr double extreme = 0.02, least_share = 0.1, least_distance = 6, matters = 0.05;
  if (seconds.size() < least_samples) return false;
  std::sort(seconds.begin(), seconds.end());
  const auto dropped = static_cast<std::ptrdiff_t>(extreme * static_cast<double>(seconds.size()));
  const std::vector<double> sample(seconds.begin() + dropped, seconds.end() - dropped);
  const auto n = static_cast<double>(sample.size());
  const auto margin = static_cast<std::size_t>(std::ceil(least_share * n));
  const SortedSample sorted(sample);
  double most = -1;
  Kind fast, slow;
  for (std::size_t cut = margin; cut + margin <= sample.size(); ++cut) {
    const Kind low = sorted.part(0, cut), high = sorted.part(cut, sample.size());
    const auto share = static_cast<double>(cut) / n;
    const double between = share * (1 - share) * (high.mean - low.mean) * (high.mean - low.mean);
    if (between <= most) continue;
    most = between;
    fast = low;
    slow = high;
  }
  const double distance = slow.mean - fast.mean;
  return distance > matters * fast.mean &&
         std::sqrt(2.0) * distance > least_distance * std::sqrt(fast.variance + slow.variance);
}

/// A likely cause: in two or three words, and for a sentence.
struct Cause {
  const char* words;
  const char* sentence;
};

Cause cause_of(const SeriesFacts& facts) {
  if (facts.crowded) return {"too many threads", "this run has more threads than cores"};
  if (facts.waited_for_core > disturbed_share && facts.cores_of_several_hosts)
    return {"hosts that share cores", "hosts that are one machine use the same cores"};
  if (facts.waited_for_core > disturbed_share) return {"busy cores", "another process has the cores"};
  return {"clocks, memory or network", "look for clocks that change, or other users of memory and network"};
}

}  // namespace

Steadiness judge(const std::vector<double>& seconds, const SeriesFacts& facts) {
  Steadiness found;
  std::vector<std::string> said;
  const auto mark = [&](bool is, const char* name, const std::string& what) {
    if (!is) return;
    found.marks.emplace_back(name);
    said.push_back(what);
  };
  const double middle = median(seconds);
  const MedianInterval interval = median_interval(seconds);
  const double width = middle > 0 ? (interval.high - interval.low) / middle : 0;
  mark(!facts.settled || drifts(seconds), "unsettled",
       "the median was still moving when the measurement ended");
  mark(width > noisy_share, "noisy", fmt::format("its interval is {:.0f} % of it", 100 * width));
  mark(is_bimodal(seconds), "bimodal", "the times are of two kinds");
  mark(facts.waited_for_core > disturbed_share, "disturbed",
       fmt::format("a thread had no core for {:.0f} % of the time", 100 * facts.waited_for_core));
  if (said.empty()) return found;
  const Cause cause = cause_of(facts);
  found.cause = cause.words;
  found.reason = fmt::format("{}: {}.", fmt::join(said, ", "), cause.sentence);
  found.reason[0] = static_cast<char>(std::toupper(found.reason[0]));
  return found;
}

}  // namespace spmv
