// The files that a run reads and writes for its user, and its standard output.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/output_file.hpp"

namespace spmv {

enum class FileUse {
  read,
  cache,     // read and written if possible
  binary,    // written by all ranks, each its part
  by_ranks,  // the same, as .spmv or as text, packed if its name ends in .gz
  output     // text written by rank 0, packed if its name ends in .gz
};

/// A file that the user named. An empty path names none.
struct NamedFile {
  const char* name;  // in messages: "--json", "the matrix"
  std::string path;
  FileUse use = FileUse::output;
};
using NamedFiles = std::vector<NamedFile>;

/// The outputs of a command, checked before the run: what cannot be written is known before anything is measured. An output
/// that fails at the end does not stop the others. For rank 0.
class Outputs {
 public:
  /// Throws Error(usage) if a file that is written is another file of the list as well, a cache is not a regular
  /// file, or a name ends in .gz and the file would not be packed; Error(environment) if an output cannot be written. A cache
  /// that cannot be written is no error. Local.
  explicit Outputs(const NamedFiles& files);

  /// Writes text() to the file of this name, if the user named one. Local.
  void write(const char* name, const std::function<std::string()>& text);
  /// Writes to standard output, or to stderr if one of the files goes there. Call it after write(): its reader may have
  /// left. Local.
  void print(const std::string& text);
  /// What could not be written, one line each; empty if all went well. Pure.
  const std::string& failures() const { return failures_; }

 private:
  std::vector<std::pair<const char*, OutputFile>> files_;
  std::string failures_;
};

}  // namespace spmv
