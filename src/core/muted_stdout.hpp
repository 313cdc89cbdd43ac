// For libraries that print.
#pragma once

namespace spmv {

/// As long as this object is there, what its thread prints on the C library's stdout goes nowhere; what other threads print
/// goes to stdout as ever. The process's `stdout` is another stream meanwhile, which hands on the others' output: their
/// fflush, setvbuf and freopen of stdout do not reach the stream behind it. The file descriptor is not touched.
/// Any number of threads may have one. Throws Error(memory). Local.
class MutedStdout {
 public:
  MutedStdout();
  ~MutedStdout();
  MutedStdout(const MutedStdout&) = delete;
  MutedStdout& operator=(const MutedStdout&) = delete;
};

}  // namespace spmv
