// What the user asked for. The same on every rank.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "app/commands.hpp"

namespace spmv {

/// A command with its options, or a text to print on stdout in its place (--help, --version, --list).
struct CommandLine {
  const CommandRow* row = nullptr;
  std::unique_ptr<Command> command;  // nothing where there is a text
  std::string text_instead;
  std::map<std::string, std::string> given;  // what stood on the command line, by what messages call it
};

/// Local and the same on every rank; throws Error(usage).
CommandLine parse_command_line(int argc, char** argv);

/// Whether MPI need not be started for a command line that begins with this word. Pure.
bool needs_no_mpi(std::string_view word);

}  // namespace spmv
