// Whether the median of repeated measurements can be trusted.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// How a series of times was measured.
struct SeriesFacts {
  bool settled = true;                  // whether more products would not have changed the median
  double waited_for_core = 0;           // share of the time in which a thread had no core
  bool crowded = false;                 // this run has more threads than cores somewhere
  bool cores_of_several_hosts = false;  // some of its ranks may use cores that those of another host use
};

/// Reasons not to trust a median.
struct Steadiness {
  std::vector<std::string> marks;  // of "unsettled", "noisy", "bimodal", "disturbed"; none: nothing does
  std::string cause;               // the likely cause, in a few words
  std::string reason;              // one sentence for all of them, with the cause
};

/// A median's 95 % interval that is wider than this share of it is noisy.
inline constexpr double noisy_share = 0.05;
/// With more than this share of the time without a core, times are not those of the product alone.
inline constexpr double disturbed_share = 0.1;

/// Marks a series, in the order in which it was measured: `unsettled` if it had not settled, or its halves disagree; `noisy`
/// by the width of the median's interval; `bimodal` if there are two kinds of times, far apart and each at least a tenth of
/// all; `disturbed` if threads waited for cores. Pure.
Steadiness judge(const std::vector<double>& seconds, const SeriesFacts& facts);

}  // namespace spmv
