// spmv_dist info: how much memory a run would need.
#pragma once

#include <string>
#include <vector>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct InfoOptions : MatrixOptions, PartitionOptions {
  std::vector<int> rank_counts = {1};
  std::string format = "auto";
  std::string backend = "auto";
  bool verify = true;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const;
  NamedFiles files() const { return {{"the matrix", matrix_file, FileUse::read}}; }
};

/// Prints what every rank would need, by part and at which time, for each number of ranks that the options
/// name, and whether that fits this machine's free memory if all of them run here. The matrix is not loaded:
/// of a file the header is read, of a generator some rows are made. Returns ok if all fit, else memory. For
/// one rank. Throws AgreedError.
ExitCode run_info(const Session& session, const InfoOptions& options);

}  // namespace spmv
