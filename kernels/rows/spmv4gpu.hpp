// SpMV4GPU [Bordawekar 2013], [Vazquez 2011, sect. 3.4]: CSR with half a warp per row, whose loads are
// aligned. A row that begins within an aligned group of half_warp elements is done up to the end of that
// group first, then in whole groups. In the padded form every row is filled up to whole groups, so that all
// rows begin aligned.
#pragma once

#include <vector>

#include "kernels/format.hpp"

namespace spmv {

/// The padded form. Padding holds value 0 and column 0 and is never read.
template <class T>
struct PaddedRows {
  std::vector<offset> row_ptr;   // rows + 1, all multiples of half_warp
  std::vector<lidx> row_length;  // without padding
  std::vector<lidx> col;
  std::vector<T> value;
};

template <class T>
PaddedRows<T> build_padded_rows(const Csr<T>& block);

/// Threads per row: half a warp, or a whole one for long rows or if the options say so.
int spmv4gpu_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options);

template <class T>
struct Spmv4gpuView {
  using Value = T;
  lidx rows;
  const offset* row_ptr;   // rows + 1
  const lidx* row_length;  // nullptr if not padded
  const lidx* col;
  const T* value;
  const lidx* row_list;
  int threads_per_row;   // CUDA: 16 or 32
  float kept_share = 0;  // CUDA: see read_once.hpp
};

template <class T>
void multiply_host(const Spmv4gpuView<T>& a, const T* x, T* y, Update update);

template <class T>
Format<T> spmv4gpu_format();

template <class T>
Format<T> spmv4gpu_padded_format();

}  // namespace spmv
