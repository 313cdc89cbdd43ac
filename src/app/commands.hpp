// What the program does other than multiply. The table in commands.cpp has a row for each command.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options.hpp"
#include "core/error.hpp"

namespace spmv {

/// Whether MPI need not be started for a command line that begins with this word. Pure.
bool needs_no_mpi(std::string_view word);

/// Throws Error(usage), which names the tool, for a command that the Python package has now. Pure.
void refuse_moved_command(std::string_view word);

/// What to do in place of an option that the program no longer has, where CLI11 complains of it; else empty. Pure.
std::string hint_of_moved_option(std::string_view complaint);

/// The commands of the table with their options, which CLI11 fills where they are.
class DeclaredCommands {
 public:
  explicit DeclaredCommands(CLI::App& app);
  /// Puts the options of the command that was named in the place of those of a run without one; throws Error(usage)
  /// where options stand before its name.
  void take_named(Options& options);

 private:
  const CLI::App& app_;
  std::deque<Options> options_;  // stay where they are
  std::vector<CLI::App*> commands_;
};

}  // namespace spmv
