// The files that a run writes for its user, and its standard output.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/options.hpp"
#include "core/output_file.hpp"

namespace spmv {

/// Everything that the options ask to be written. Made before a run, so that what cannot be written is known
/// before anything is measured. What fails at the end keeps nothing else from being written. For rank 0.
class Outputs {
 public:
  /// Throws Error(usage) where two options, or an option and the matrix, name one file (also the one that convert writes), and where
  /// --tune-cache names something else than a file; Error(environment) where an output cannot be written. A
  /// tuning cache that cannot be written is no error: it helps where it can. Local.
  explicit Outputs(const Options& options);

  /// Writes text() to the file of this option, if the user named one. Local.
  void write(const char* option, const std::function<std::string()>& text);
  /// Writes to standard output, or to stderr where a file that was asked for goes there. To be called behind the files: who reads it may have gone. Local.
  void print(const std::string& text);
  /// What could not be written, one line each; empty if all went well. Pure.
  const std::string& failures() const { return failures_; }

 private:
  std::vector<std::pair<const char*, OutputFile>> files_;
  std::string failures_;
};

}  // namespace spmv
