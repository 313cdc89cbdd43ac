// For libraries that print.
#pragma once

namespace spmv {

/// While this object lives, its thread's output to the C library's stdout is dropped; other threads' output goes to stdout as
/// usual. Meanwhile the process's `stdout` is another stream that hands on the others' output: their fflush, setvbuf and
/// freopen of stdout do not reach the original stream. The file descriptor is not touched. A puts() of another thread that runs
/// at the very moment of the exchange may print its line's end twice or not at all, because glibc reads `stdout` several
/// times in it. Any number of threads may have one. Throws Error(memory). Local.
class MutedStdout {
 public:
  MutedStdout();
  ~MutedStdout();
  MutedStdout(const MutedStdout&) = delete;
  MutedStdout& operator=(const MutedStdout&) = delete;
};

}  // namespace spmv
