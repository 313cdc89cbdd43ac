// Which candidates are tried, in which order, and when to stop: every trial must be likely to pay for itself.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/tune/candidates.hpp"

namespace spmv {

/// Tuning may take this share of the time that all products would take in csr, its budget; beyond it only what surely pays is
/// tried. What is built first does not count: something has to be built in any case.
inline constexpr double tuning_share = 0.02;
/// The same on a host, whose products are predicted less closely: a thousand of them then pay for a trial of csr beside one of what is
/// predicted best.
inline constexpr double tuning_share_on_hosts = 0.03;

/// Predictions may be wrong by this factor: a format that is not hinted at must be predicted so much faster than the
/// plain candidate to be taken without a trial, and may be so much faster than predicted when a trial is considered.
inline constexpr double usual_doubt = 1.5;
/// Where they go by what was measured on this machine: how much faster than predicted a trial may find a format.
inline constexpr double calibrated_doubt = 1.3;
/// Likewise, the lead that a format needs to be taken without a trial. On processors, whose products are explained within a fifth only,
/// a greater one lost more where csr is slow than it saved where csr is fast (15 matrices, two processors).
inline constexpr double calibrated_lead = 1.1;
/// What is predicted of a block in a GPU's cache must be so much faster than the plain candidate to be taken without a
/// trial: what kernels wait for there are latencies, of which predictions know little.
inline constexpr double doubt_in_cache = 2;

/// A candidate and what became of it.
struct FormatTrial {
  std::string format;
  FormatOptions options;
  Cost cost;
  Prediction predicted;
  double measured_s = 0;  // of one product; 0: not measured
  double build_s = 0;     // measured; 0: not built, or on arrays that were there
  std::string reason;     // why it was not measured; empty if it was
};

/// What building and measuring one candidate gave.
struct Attempt {
  double measured_s = 0;   // of one product
  double build_s = 0;      // 0: the arrays were there
  double spent_s = 0;      // building and measuring
  FormatOptions launched;  // the candidate's options, with those that were left to the format as it took them
  std::string refused;     // why the format cannot hold the block; empty if it can
  bool made_room = false;  // for it, what was kept of an earlier attempt is gone
};

/// What to search among, and for how many products.
struct SearchRequest {
  double products = 1000;             // that the format is for
  bool trials = true;                 // false: by prediction alone
  double free_bytes = 0;              // of the device
  std::vector<Candidate> candidates;  // csr first
  std::size_t plain = 0;              // the one of them that is taken where nobody looks
  bool in_cache = false;              // a GPU keeps the block in its cache
  OptionNames fixed;                  // options that stay as they are
  bool runs_host_code = false;        // see tunable_options(), tuning_share_on_hosts, and what is tried first
  /// Builds and measures a candidate, products together for about batch_s seconds at a time. If a product takes less than
  /// keep_below_s, it is kept in place of what was kept before; other launches of what is kept need no build.
  std::function<Attempt(const Candidate&, double batch_s, double keep_below_s)> attempt;
};

/// What the search has chosen, why, and what it took.
struct Found {
  Candidate best;
  double measured_s = 0;  // 0: chosen by prediction alone
  std::string reason;     // one sentence
  double budget_s = 0;
  double spent_s = 0;               // on trials, with the first build, which does not count
  std::vector<FormatTrial> trials;  // every candidate once, then the options that were tried on the best
};

/// Starts from the candidate that is predicted to take least time for all products, its build included; for
/// one product that is csr. Then tries what may save more than its trial costs while the budget lasts, or what surely
/// pays, and tunes the options of the best. Calls attempt() only for what it tries; what was kept last is the best.
Found search(const SearchRequest& request);

/// How many batches attempt() has to time, and how many products to run before them.
inline constexpr int timed_batches = 3;
inline constexpr int warm_up_products = 5;

}  // namespace spmv
