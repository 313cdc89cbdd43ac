// What a search is asked for, and what trials of candidates give.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/tune/candidates.hpp"

namespace spmv {

/// The budget: trials may take this share of the time that all products would take in csr. The first build does not count,
/// because something has to be built in any case. A trial beyond the budget needs a greater expected gain.
inline constexpr double tuning_share = 0.02;
/// The same on a host, whose products are harder to predict: from about a thousand products on there is time to measure csr
/// and the format that is predicted to be the best.
inline constexpr double tuning_share_on_hosts = 0.03;

/// The factors by which a prediction may be wrong.
struct Margin {
  double too_slow;  // a trial may find the format so many times faster than predicted
  double
      lead;  // a format is taken without a trial if it is predicted so many times faster than the plain one
};
inline constexpr Margin margin_of_paces{1.5, 1.5};
/// A greater lead would lose more where csr is slow than it would save where csr is fast.
inline constexpr Margin margin_of_calibrations{1.3, 1.1};
/// The lead of any format where a GPU keeps the block in its cache: kernels wait for latencies there, of which predictions
/// know little.
inline constexpr double lead_in_cache = 2;

/// A candidate and what became of it.
struct FormatTrial : Candidate {
  double measured_s = 0;        // of one product; 0: not measured
  double build_s = 0;           // measured; 0: not built, or on arrays that were there
  std::string reason = {};      // why it was not measured; empty if it was
  bool refused = false;         // the block cannot be stored in the format
  FormatOptions launched = {};  // if measured: see Attempt
  bool columns_apart = false;   // likewise
};

/// What building and measuring one candidate gave.
struct Attempt {
  double measured_s = 0;   // of one product
  double build_s = 0;      // 0: the arrays were there
  double spent_s = 0;      // building and measuring
  FormatOptions launched;  // the candidate's options, with those that were left to the format as it took them
  bool columns_apart = false;  // one column after another took less time than all together
  std::string refused;         // why the format cannot hold the block; empty if it can
  bool made_room = false;      // the arrays that an earlier attempt had kept were freed for it
};

/// What to search among, and for how many products.
struct SearchRequest {
  double products = 1000;             // that the format is for
  int columns = 1;                    // of each
  bool trials = true;                 // false: by prediction alone
  double free_bytes = 0;              // of the device
  std::vector<Candidate> candidates;  // csr first
  std::size_t plain = 0;              // the one of them that is taken without a search
  bool in_cache = false;              // a GPU keeps the block in its cache
  OptionNames fixed;                  // options that stay as they are
  bool runs_host_code = false;        // see tunable_options(), tuning_share_on_hosts, and what is tried first
  /// Builds and measures a candidate, products together for about batch_s seconds at a time. If a product takes less than
  /// keep_below_s, it is kept in place of what was kept before; other launches of what is kept need no build.
  std::function<Attempt(const Candidate&, double batch_s, double keep_below_s)> attempt;
};

/// How many batches attempt() has to time, and how many products to run before them.
inline constexpr int timed_batches = 3;
inline constexpr int warm_up_products = 5;

}  // namespace spmv
