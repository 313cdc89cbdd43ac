// What the files of the planted faults share; see planted.cpp.
#pragma once

#include <atomic>
#include <cerrno>

#include <dlfcn.h>

namespace planted {

/// What happens at a call.
struct Action {
  enum Kind { nothing, fail, brief } kind = nothing;
  int error = 0;  // 0: as this call fails in practice
};

/// One function that the program calls.
struct Call {
  const char* name;
  std::atomic<long> made{0};
};

/// The program calls this function, and the call returns to this address. Counts it, if it is the program's own, and
/// returns what happens to it; where a signal is planted it has arrived.
Action at(Call& call, void* returns_to);

/// The next definition of a function, which does the work.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// A function that returns -1 and sets errno.
template <class Real, class... Arguments>
auto system_call(Call& call, void* returns_to, int usual_error, Real real, Arguments... arguments)
    -> decltype(real(arguments...)) {
  const Action action = at(call, returns_to);
  if (action.kind == Action::nothing) return real(arguments...);
  errno = action.error != 0 ? action.error : usual_error;
  return -1;
}

/// One that returns an error number, or that of MPI or METIS.
template <class Real, class... Arguments>
int returning(Call& call, void* returns_to, int failed, Real real, Arguments... arguments) {
  return at(call, returns_to).kind == Action::nothing ? real(arguments...) : failed;
}

}  // namespace planted

#define SPMV_RETURNS __builtin_return_address(0)
