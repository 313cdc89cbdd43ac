// Options of `spmv_dist solve`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/preconditioner_options.hpp"
#include "app/run/system_vectors.hpp"
#include "app/run/workspaces.hpp"

namespace spmv {

inline constexpr const char* no_inner = "none";
inline constexpr const char* constant_nullspace = "constant";
inline constexpr const char* no_nullspace = "none";
/// A number of columns that the user has not named.
inline constexpr int by_right_hand_sides = 0;

struct SolverOptions : WorkspaceOptions, PreconditionerOptions, SystemFiles {
  std::vector<std::string> solvers = {"cg"};
  double tolerance = by_precision;
  int max_iterations = 10000;
  std::string nullspace = no_nullspace;
  std::string inner = no_inner;
  std::string inner_format;  // empty: as format
  int times = 0;             // 0: default_times()

  NamedFiles files() const;
  /// Of a system that is there to compare solvers, and of one of the user's.
  int default_times() const { return read_b.empty() && checkpoint.empty() ? 3 : 1; }
  bool projects_constant() const { return nullspace == constant_nullspace; }
  void declare(CLI::App& app);
  void check();
};

}  // namespace spmv
