// Which candidates are tried, in which order, and when to stop: every trial must be expected to save more than it costs.
#pragma once

#include <string>
#include <vector>

#include "kernels/tune/trials.hpp"

namespace spmv {

/// What the search has chosen, why, and what it took.
struct Found {
  Candidate best;
  double measured_s = 0;       // 0: chosen by prediction alone
  bool columns_apart = false;  // see Attempt
  std::string reason;          // one sentence
  double budget_s = 0;
  double spent_s = 0;               // on trials, with the first build, which does not count
  std::vector<FormatTrial> trials;  // every candidate once, then the options that were tried on the best
};

/// Starts from the candidate that is predicted to take the least time for its build and all products; for one product that is
/// csr. Then tries what is expected to save more than its trial costs, within the budget or with a clear gain beyond it, and
/// varies the options of the best. Calls attempt() only for what it tries; what was kept last is the best.
Found search(const SearchRequest& request);

}  // namespace spmv
