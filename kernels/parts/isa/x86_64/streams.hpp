// What a processor's prefetchers follow.
#pragma once

namespace spmv {

/// Whether many streams of some lines at a time are as fast as few. Intel's prefetchers follow the streams of 32 rows whose
/// columns lie far apart; on AMD's processors eight streams are already slower than one, and prefetching a line at a time is
/// faster. Local.
inline bool follows_many_streams() {
  __builtin_cpu_init();
  return !__builtin_cpu_is("amd");
}

}  // namespace spmv
