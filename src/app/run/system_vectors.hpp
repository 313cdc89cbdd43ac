// The vectors of A x = b: from files of the user or made, and to files.
#pragma once

#include <chrono>
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
  std::string checkpoint;
  double checkpoint_every_s = 60;

  NamedFiles files() const {
    return {{"--read-b", read_b, FileUse::read},
            {"--guess", guess, FileUse::read},
            {"--write-x", write_x, FileUse::by_ranks},
            {"--checkpoint", checkpoint, FileUse::by_ranks}};
  }
};
void declare_system_files(CLI::App& app, SystemFiles& files);

/// b, the guess and what is known of x, as multivectors of the run's columns, by rows. They are this rank's, in natural order,
/// unless they say otherwise.
template <class T>
class SystemVectors {
 public:
  /// Reads the files that the user named. Without --read-b, b is made of the references of the problem: A x of a known x. A checkpoint
  /// that is there is the guess, which rank 0 says. All arguments outlive this. Collective; throws AgreedError.
  SystemVectors(const Run& run, const SystemFiles& files, const Workspaces<T>& workspaces);

  /// What the rows were called when they were read.
  const std::vector<gidx>& row_ids() const { return workspaces_.problem().rows.original_row; }
  const std::vector<T>& b() const { return b_; }
  /// Empty: 0.
  const std::vector<T>& guess() const { return guess_; }
  /// |x - known x| / |known x|, of the column where it is largest; negative: x is not known. Collective.
  double error_of(const std::vector<T>& x) const;
  /// Writes x to the file of --write-x, if there is one and nothing has been written yet. Collective; throws AgreedError.
  void write_first(const std::vector<T>& x);
  /// Whether there is a checkpoint to write, and the last one is old on any rank. Collective.
  bool is_checkpoint_due() const;
  /// Writes x to the file of --checkpoint, if there is one: the file has the old x or the new one at any time. Collective;
  /// throws AgreedError.
  void write_checkpoint(const std::vector<T>& x);
  /// Seconds that checkpoints have taken so far. Local.
  double checkpoints_s() const { return checkpoints_s_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool has_checkpoint() const;
  std::vector<T> read(const std::string& what, const std::string& path) const;
  void write(const std::string& path, const std::vector<T>& x) const;

  const Run& run_;
  const SystemFiles& files_;
  const Workspaces<T>& workspaces_;
  std::vector<T> b_, guess_;
  bool written_ = false;
  Clock::time_point last_checkpoint_ = Clock::now();
  double checkpoints_s_ = 0;
};

}  // namespace spmv
