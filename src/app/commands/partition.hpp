// spmv_dist partition: what every partitioner makes of a matrix.
#pragma once

#include <string>

#include "app/outputs.hpp"
#include "app/run/run.hpp"

namespace spmv {

struct ComparisonOptions {
  RunOptions run;  // the products with --measure, with what they are predicted from
  bool measure = false;
  std::string json_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check();
  NamedFiles files() const;
};

/// Loads the matrix, asks every partitioner of the table for a partition on these ranks, and, if the user wants it,
/// multiplies over each of them in all modes. Returns wrong_result if a product was wrong. Collective; throws AgreedError.
ExitCode run_partition(const Session& session, const ComparisonOptions& options);

}  // namespace spmv
