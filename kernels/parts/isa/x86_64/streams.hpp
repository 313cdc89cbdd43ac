// What a processor's prefetchers follow.
#pragma once

namespace spmv {

/// Whether many streams of a few lines at a time are as good as few: Intel's prefetchers follow those of 54 columns at once. On an
/// AMD EPYC of the fourth generation eight streams already come at three quarters of the bandwidth of one, and columns that lie
/// far apart are better read a line at a time, asked for beforehand. Local.
inline bool follows_many_streams() {
  __builtin_cpu_init();
  return !__builtin_cpu_is("amd");
}

}  // namespace spmv
