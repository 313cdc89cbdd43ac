// Eigenvalues of one matrix.
#pragma once

#include <string>
#include <vector>

#include "app/report/workspace_facts.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {

/// The search in one mode over one transport. Where that was refused, nothing else is known.
struct EigenOutlook : WorkspaceFacts {
  Stop stop = Stop::iterations;
  std::string reason;  // where it did not converge
  std::vector<double> values;
  std::vector<double> residuals;  // |A v - lambda v|
  double norm = 0;                // |A|
  int subspace = 0;
  int products = 0;
  int restarts = 0;
  std::vector<double> history;
  double seconds = 0;    // the least of all searches
  double product_s = 0;  // of one product ...
  double sums_s = 0;     // ... and of its share of the sums over all ranks, each measured alone
  double a_step_s() const { return products == 0 ? 0 : seconds / products; }
  double vectors_s() const { return a_step_s() - product_s - sums_s; }
};

struct EigenReport : RunHead {
  int count = 0;
  std::string which;
  int block = 1;               // vectors that are multiplied together
  std::string preconditioner;  // with what was chosen for it; "none": there is none
  double tolerance = 0;
  int start_seed = 1;
  int times = 1;  // how often each search was run
  std::vector<EigenOutlook> outlooks;
  std::vector<std::string>
      vector_files;  // of the eigenvectors of the first mode, in the order of its eigenvalues

  /// Whether every search that was run found all that was wanted.
  bool converged() const;
};

/// For people. Pure.
std::string to_text(const EigenReport& report);
/// Everything, with the histories, as one JSON object. Pure.
std::string to_json(const EigenReport& report);

}  // namespace spmv
