#pragma once

#include <memory>

#include "comm/give_up.hpp"

namespace spmv {

/// Gives up work that does not end. It is kept until the process ends, with all that it refers to: nothing that it, MPI, a
/// library or another rank may still touch is released. MPI must not be torn down under a thread that sits in it: a thread
/// that does not rest when MPI is about to end is stopped by a signal. If MPI then does not end within ten seconds, the
/// process leaves without it, with exit code 7. Local.
void leave_behind(std::shared_ptr<LimitedWork> work);

}  // namespace spmv
