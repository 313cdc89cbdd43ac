// The table of commands.
#pragma once

#include <vector>

#include "app/command.hpp"

namespace spmv {

/// What the program does: first what it does without a command, then its commands in the order of --help.
const std::vector<CommandRow>& commands();

}  // namespace spmv
