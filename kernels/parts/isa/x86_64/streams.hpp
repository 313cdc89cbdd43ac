// What a processor's prefetchers follow.
#pragma once

namespace spmv {

/// Whether many streams of some lines at a time are as good as few. On an Intel Xeon (model 207) columns that lie far apart are
/// read twice as fast 32 rows at once as 8. On an AMD EPYC of the fourth generation it is the other way round: eight streams
/// already come at three quarters of the bandwidth of one, and a line at a time, asked for beforehand, is 1.5 times as fast. Local.
inline bool follows_many_streams() {
  __builtin_cpu_init();
  return !__builtin_cpu_is("amd");
}

}  // namespace spmv
