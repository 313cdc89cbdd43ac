// A trial in a process of its own: what crashes or hangs there costs a message, not the run.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// How a trial in a process of its own ended.
struct ChildTrial {
  /// unable: the process could not try, which says nothing about what was to be tried.
  enum class End { worked, failed, unable };
  End end = End::worked;
  std::string reason;  // empty where it worked, such as "faulted in a trial (signal 11)"
};

/// Runs a command without the launcher's variables, so that its MPI starts alone, and ends it after `limit_s`
/// seconds. Its exit codes: 0 it worked, 3 wrong data, others: it was unable to try. Its output is dropped.
/// Local.
ChildTrial try_in_child(const std::vector<std::string>& command, double limit_s);

/// Whether the process of a trial gets this environment variable ("NAME=value"); it gets none of those by
/// which a launcher tells its ranks who they are. Pure.
bool passes_to_child(const std::string& variable);

}  // namespace spmv
