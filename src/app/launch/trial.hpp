// What the program does in the processes that it starts to try a transport in, see comm/child_trial.hpp.
#pragma once

#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace spmv {

/// First argument of such a process; a transport's and a backend's name follow. Not for users.
inline constexpr const char* trial_command = "--try-transport";

bool is_trial(int argc, char** argv);

/// One rank exchanges with itself. Throws AgreedError; wrong_result where other data arrive than were sent.
ExitCode run_trial(const Communicator& communicator, char** argv);

}  // namespace spmv
