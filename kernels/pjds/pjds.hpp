// Padded jagged diagonals, pJDS (002, sect. 2.1, Listing 2): rows sorted by descending length, then blocks of
// b_r rows padded to their longest row and stored column by column.
#pragma once

#include <vector>

#include "kernels/local_operator.hpp"

namespace spmv {

/// Element j of row i is at col_start[j] + i. Padding holds value 0 and column 0; the last block is padded to
/// b_r rows, so that every column starts at a multiple of b_r.
template <class T>
struct Pjds {
  std::vector<offset> col_start;  // one per column. 64 bits, where 002 has 32: those end at 51 GB of doubles
  std::vector<lidx> row_length;   // rows
  std::vector<lidx> col;
  std::vector<T> value;
};

/// Rows by descending length, rows of one length in their old order so that neighbours keep sharing x.
template <class T>
std::vector<lidx> pjds_row_order(const Csr<T>& block, const FormatOptions& options);

/// Throws Error(usage) if block_rows < 1, Error(internal) if a block of rows is longer than the one before
/// it.
template <class T>
Pjds<T> build_pjds(const Csr<T>& block, lidx block_rows);

template <class T>
struct PjdsView {
  using Value = T;
  lidx rows;
  const offset* col_start;
  const lidx* row_length;
  const lidx* col;
  const T* value;
  const lidx* row_list;
  const offset* chunk_ptr;  // host: nonzeros before every chunk; nullptr on CUDA
};

template <class T>
void multiply_host(const PjdsView<T>& a, const T* x, T* y, Update update);

template <class T>
Format<T> pjds_format();

}  // namespace spmv
