#include "kernels/parts/row_threads.hpp"

#include "kernels/parts/sizes.hpp"

namespace spmv {

int side_by_side_threads_per_row(lidx rows, offset elements) {
  constexpr offset enough_rows = 200'000, enough_threads = 80'000;
  constexpr offset least_elements = 8;  // of each thread
  int threads = 1;
  while (threads < warp_size && offset{rows} * threads < (threads == 1 ? enough_rows : enough_threads) &&
         elements >= least_elements * threads * rows)
    threads *= 2;
  return threads;
}

}  // namespace spmv
