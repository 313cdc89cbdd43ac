#pragma once

#include <cerrno>

namespace spmv {

/// Makes a system call, and makes it again for as long as a signal interrupts it: nothing has failed then.
/// Returns what the call returns.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace spmv
