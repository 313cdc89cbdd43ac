// One binary for every x86-64: a loop is compiled once for each width of instructions, and the processor
// decides which of these runs. Instruction sets are named one by one: with a whole architecture compilers
// would not inline what is compiled for all. Each is a function of its own also where the whole program is compiled for the
// widest: loops that share one function are slower for short rows.
#pragma once

namespace spmv {

template <class Work>
[[gnu::target("avx2,fma,bmi,bmi2"), gnu::flatten, gnu::noinline]] void run_avx2(const Work& work) {
  work();
}

template <class Work>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2"), gnu::flatten, gnu::noinline]] void
run_avx512(const Work& work) {
  work();
}

/// Calls work(), with all that it calls compiled for the widest instructions that this processor has. A parallel
/// region must be outside. Local.
template <class Work>
void run_best(const Work& work) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return run_avx512(work);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return run_avx2(work);
  work();
}

}  // namespace spmv
