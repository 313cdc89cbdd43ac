// What solvers made of one system.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/report/workspace_facts.hpp"
#include "core/statistics.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {

/// One solver in one mode over one transport. Where that was refused, nothing else is known.
struct SolveOutlook : WorkspaceFacts {
  std::string solver;
  SolveResult result;                // of one column; of several, what take() makes of them
  std::vector<SolveResult> columns;  // all
  double error = -1;                 // |x - known x| / |known x|; negative: x is not known
  int times = 1;                     // how often it was run
  double an_iteration_s = 0;         // the median of all times; 0: there was no iteration ...
  MedianInterval interval;           // ... and its interval
  double product_s = 0;              // of an iteration: its products ...
  double sums_s =
      0;  // ... and its sums over all ranks, each measured alone; hidden ones: what they add to the products
  double vectors_s() const { return an_iteration_s - product_s - sums_s; }
  double preconditioner_s = 0;                                       // M^-1 r alone; 0: not measured
  std::vector<std::pair<std::string, double>> preconditioner_parts;  // of that, by name, in seconds
  double bytes = 0;  // that an iteration moves at least, all ranks together, without the preconditioner
  double product_bound_s = 0;  // what the slowest rank needs for its bytes of products ...
  double vectors_bound_s = 0;  // ... and of vectors at the bandwidth measured
  double bound_s() const { return product_bound_s + vectors_bound_s; }
  /// Keeps results of columns. What they are together: the longest history, the largest residual, and why the first one that was
  /// not solved was not.
  void take(std::vector<SolveResult> results);
  /// What an iteration loses most time to: "memory" if it is near its bound, otherwise the part that is farthest from its own:
  /// "product", "vectors" or "sums". Empty: parts were not measured. Pure.
  const char* limit() const;
};

struct SolveReport : RunHead {
  std::string preconditioner;
  double tolerance = 0;
  std::vector<SolveOutlook> outlooks;

  /// Whether every solver that was run found a solution.
  bool solved() const;
};

/// For people. Pure.
std::string to_text(const SolveReport& report);
/// Everything, with the histories, as one JSON object. Pure.
std::string to_json(const SolveReport& report);

}  // namespace spmv
