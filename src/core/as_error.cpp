#include "core/as_error.hpp"

#include <new>
#include <string>
#include <system_error>

namespace spmv {

Error as_error(const std::exception& thrown) {
  if (const auto* error = dynamic_cast<const Error*>(&thrown)) return *error;
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return {ExitCode::memory, "out of host memory: use more ranks on more nodes, or a smaller matrix"};
  // A thread that cannot be started says no more than EAGAIN: its stack does not fit, or there are too many.
  const auto* refused = dynamic_cast<const std::system_error*>(&thrown);
  if (refused != nullptr && (refused->code() == std::errc::resource_unavailable_try_again ||
                             refused->code() == std::errc::not_enough_memory))
    return {ExitCode::memory, std::string("a thread could not be started (") + thrown.what() +
                                  "): raise the limits of memory and processes (ulimit -v, ulimit -u), or "
                                  "use fewer threads (OMP_NUM_THREADS)"};
  return {ExitCode::internal, thrown.what()};
}

}  // namespace spmv
