// Processors whose compilers already use all that every one of them has, such as NEON on 64-bit ARM.
#pragma once

namespace spmv {

/// Calls work(). See ../x86_64/run_best.hpp.
template <class Work>
void run_best(const Work& work) {
  work();
}

}  // namespace spmv
