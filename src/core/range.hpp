// Names what a host thread does, for profilers: Nsight Systems draws these ranges above kernels and copies.
#pragma once

namespace spmv {

/// A named range of the calling thread's time, from construction to destruction; ranges nest. Without an
/// attached profiler it costs a few nanoseconds, in a build without CUDA an empty call. Local, any thread.
class Range {
 public:
  /// `name`: text that lives as long as the program.
  explicit Range(const char* name) noexcept;
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace spmv
