// spmv_dist plan: what a matrix would be on other numbers of ranks and another machine.
#pragma once

#include <string>
#include <vector>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct PlanOptions : MatrixOptions, PartitionOptions {
  std::vector<int> rank_counts = {1};
  std::string machine = default_machine;
  double products = default_products;
  std::string json_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const;
  NamedFiles files() const;
};

/// Loads the matrix and finds out what it would be on as many ranks as the user names, on the machine that the user
/// names. The ranks at hand only count: they may be fewer. Collective; throws AgreedError.
ExitCode run_plan(const Session& session, const PlanOptions& options);

}  // namespace spmv
