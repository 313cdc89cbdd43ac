#pragma once

#include <memory>

#include "comm/limited_work.hpp"

namespace spmv {

/// Abandons work that does not end. It is kept until the process ends, with all that it refers to: nothing that it, MPI, a
/// library or another rank may still touch is released. MPI must not be torn down under a thread that sits in it: a thread
/// that has not stopped when MPI is about to end is stopped by a signal. If MPI then does not end within ten seconds, the
/// process ends without it, with exit code 7. Local.
void abandon(std::shared_ptr<LimitedWork> work);

}  // namespace spmv
