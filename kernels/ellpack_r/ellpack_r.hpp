// ELLPACK-R (003, sect. 4; 002, Listing 1): all rows padded to the longest, stored column by column, with the
// true length of every row so that no product touches padding.
#pragma once

#include <vector>

#include "kernels/local_operator.hpp"

namespace spmv {

/// Element j of row i is at j * stride + i. Padding holds value 0 and column 0.
template <class T>
struct EllpackR {
  offset stride = 0;             // rows, rounded up to a multiple of the warp size
  std::vector<lidx> row_length;  // rows
  std::vector<lidx> col;         // stride * longest row
  std::vector<T> value;
};

template <class T>
EllpackR<T> build_ellpack_r(const Csr<T>& block);

template <class T>
struct EllpackRView {
  using Value = T;
  lidx rows;
  offset stride;
  const lidx* row_length;
  const lidx* col;
  const T* value;
  const lidx* row_list;
  const offset* chunk_ptr;  // host: nonzeros before every chunk; nullptr on CUDA
};

template <class T>
void multiply_host(const EllpackRView<T>& a, const T* x, T* y, Update update);

template <class T>
Format<T> ellpack_r_format();

}  // namespace spmv
