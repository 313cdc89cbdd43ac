// The child process in which the program tries a transport: a library that crashes ends the child and not the run. See
// comm/choose/child_trial.hpp.
#pragma once

#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace spmv {

/// First argument of a child process; a transport's and a backend's name follow. Not for users.
inline constexpr const char* transport_child_command = "--try-transport";

bool is_transport_child(int argc, char** argv);

/// One rank exchanges with itself. Throws AgreedError; wrong_result if the data that arrive are not those sent.
ExitCode run_transport_child(const Communicator& communicator, char** argv);

}  // namespace spmv
