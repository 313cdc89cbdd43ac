// Compressed sparse rows, the neutral host form as it is.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
struct CsrView {
  using Value = T;
  lidx rows;
  const offset* row_ptr;  // rows + 1
  const lidx* col;
  const T* value;
  const lidx* row_list;
  int threads_per_row;    // CUDA: a power of two up to the warp size
  int threads_per_block;  // CUDA: a multiple of the warp size up to 512
};

/// Threads that share a row of `nonzeros / rows` elements: the largest power of two up to two thirds of it,
/// at most 32. Fewer leave loads uncoalesced, more leave threads idle [Bordawekar 2013], [Vazquez 2011, sect. 3.4].
int csr_threads_per_row(lidx rows, offset nonzeros);

template <class T>
void multiply_host(const CsrView<T>& a, const T* x, T* y, Update update);

template <class T>
Format<T> csr_format();

}  // namespace spmv
