// Checks the environment's settings of OpenMP threads before the OpenMP runtime uses them, because the runtime ends the
// process if it cannot start its threads. Local.
#pragma once

namespace spmv {

/// OMP_NUM_THREADS, of several numbers the first; 0 where it is not set or is no number. Throws Error(usage) for more
/// threads than any run could want.
int threads_in_environment();

/// Starts as many threads as the OpenMP runtime will for a team of `count`, with stacks as large, and ends them. Throws
/// Error(memory) where that fails, or where OMP_STACKSIZE leaves products too little room; std::system_error where no
/// variable is to blame.
void try_threads(int count);

}  // namespace spmv
