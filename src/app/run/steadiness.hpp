// Whether the times of a product, measured again and again, say what their median seems to say.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// How a series of times came about.
struct SeriesFacts {
  bool settled = true;                  // whether more products would not have changed the median
  double waited_for_core = 0;           // share of the time in which a thread had no core
  bool crowded = false;                 // this run has more threads than cores somewhere
  bool cores_of_several_hosts = false;  // some of its ranks may use cores that those of another host use
};

/// What keeps a median from being believed.
struct Steadiness {
  std::vector<std::string> marks;  // of "unsettled", "noisy", "bimodal", "disturbed"; none: nothing does
  std::string cause;               // what may have done it, in a few words
  std::string reason;              // one sentence for all of them, with the cause
};

/// A median's 95 % interval that is wider than this share of it is noisy.
inline constexpr double noisy_share = 0.05;
/// More than this share of the time without a core: then the times are not the product's alone.
inline constexpr double disturbed_share = 0.1;

/// Marks a series, in the order in which it was measured: `unsettled` where it had not settled, or where its halves
/// disagree; `noisy` by the width of the median's interval; `bimodal` where the times are of two kinds, far apart and each
/// of them a tenth of all at least; `disturbed` where threads waited for cores. Pure.
Steadiness judge(const std::vector<double>& seconds, const SeriesFacts& facts);

}  // namespace spmv
