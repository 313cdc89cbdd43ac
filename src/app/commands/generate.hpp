// spmv_dist generate: a matrix from a formula becomes a Matrix Market file.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct GenerateOptions : MatrixOptions {
  std::string output_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const { check_matrix(*this); }
  NamedFiles files() const { return {{"the file to write", output_file}}; }
};

/// Writes the file, and says on rank 0's standard error what is in it. A process that is ended early leaves
/// neither the file nor parts of it. Collective; throws AgreedError.
ExitCode run_generate(const Session& session, const GenerateOptions& options);

}  // namespace spmv
