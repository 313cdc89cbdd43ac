// The vectors of A x = b: from files of the user or made, and to files.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/outputs.hpp"
#include "app/run/workspaces.hpp"

namespace spmv {

/// Files of b and x; an empty name names none.
struct SystemFiles {
  std::string read_b;
  std::string guess;
  std::string write_x;

  NamedFiles files() const {
    return {{"--read-b", read_b, FileUse::read},
            {"--guess", guess, FileUse::read},
            {"--write-x", write_x, FileUse::by_ranks}};
  }
};
void declare_system_files(CLI::App& app, SystemFiles& files);

/// b, the guess and what is known of x. Vectors are this rank's, in natural order, unless they say otherwise.
template <class T>
class SystemVectors {
 public:
  /// Reads the files that the user named. Without --read-b, b is the reference of the problem: A x of a known x. All arguments
  /// outlive this. Collective; throws AgreedError.
  SystemVectors(const Run& run, const SystemFiles& files, const Workspaces<T>& workspaces);

  const std::vector<T>& b() const { return b_; }
  /// Empty: 0.
  const std::vector<T>& guess() const { return guess_; }
  /// |x - known x| / |known x|; negative: x is not known. Collective.
  double error_of(const std::vector<T>& x) const;
  /// Writes x to the file of --write-x, if there is one and nothing has been written yet. Collective; throws AgreedError.
  void write_first(const std::vector<T>& x);

 private:
  std::vector<T> read(const std::string& what, const std::string& path) const;
  void write(const std::string& path, const std::vector<T>& x) const;

  const Run& run_;
  const SystemFiles& files_;
  const Workspaces<T>& workspaces_;
  std::vector<T> b_, guess_;
  bool written_ = false;
};

}  // namespace spmv
