#include "kernels/parts/row_threads.hpp"

#include <algorithm>

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

int csr_threads_per_row(lidx rows, offset nonzeros) {
  constexpr int few = 8;
  const auto least_elements = [](int threads) { return threads < few ? 4.5 : 10; };
  int threads = 1;
  while (threads < warp_size && threads * least_elements(threads) * rows <= static_cast<double>(nonzeros))
    threads *= 2;
  return threads;
}

int csr_vector_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options) {
  const int threads =
      options.threads_per_row > 0 ? options.threads_per_row : csr_threads_per_row(rows, nonzeros);
  return std::max(2, threads);
}

}  // namespace spmv
