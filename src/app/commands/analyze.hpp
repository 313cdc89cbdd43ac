// spmv_dist analyze: what a matrix looks like to storage formats.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct AnalyzeOptions : MatrixOptions, ChoiceOptions {
  std::string backend = "auto";
  std::string json_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const;
  NamedFiles files() const;
};

/// Loads the matrix, analyses it, predicts every format on this rank's device, and lets format auto choose.
/// For one rank. Throws AgreedError.
ExitCode run_analyze(const Session& session, const AnalyzeOptions& options);

}  // namespace spmv
