// Shared by the files of the planted faults; see planted.cpp.
#pragma once

#include <atomic>
#include <cerrno>

#include <dlfcn.h>

namespace planted {

/// What a call does.
struct Action {
  enum Kind { nothing, fail, brief } kind = nothing;
  int error = 0;  // 0: the error with which this call fails in practice
};

/// One function that the program calls.
struct Call {
  const char* name;
  std::atomic<long> made{0};
};

/// Called when the program calls this function; the call returns to `returns_to`. Counts the call if it is
/// the program's own, raises a planted signal, and returns what the call must do.
Action at(Call& call, void* returns_to);

/// The next definition of a function: the real one.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Fails by returning -1 and setting errno.
template <class Real, class... Arguments>
auto system_call(Call& call, void* returns_to, int usual_error, Real real, Arguments... arguments)
    -> decltype(real(arguments...)) {
  const Action action = at(call, returns_to);
  if (action.kind == Action::nothing) return real(arguments...);
  errno = action.error != 0 ? action.error : usual_error;
  return -1;
}

/// Fails by returning an error number, as MPI and METIS do.
template <class Real, class... Arguments>
int returning(Call& call, void* returns_to, int failed, Real real, Arguments... arguments) {
  return at(call, returns_to).kind == Action::nothing ? real(arguments...) : failed;
}

}  // namespace planted

#define SPMV_RETURNS __builtin_return_address(0)
