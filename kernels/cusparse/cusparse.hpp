// Baselines: the product is NVIDIA's (cuSPARSE), the arrays are made here. On the cuda backend only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/format.hpp"
#include "kernels/parts/block_columns.hpp"
#include "kernels/parts/block_covers.hpp"

namespace spmv {

/// Slices of `slice_rows` rows, each padded to its longest row and stored column-wise. The last slice is
/// filled up to whole rows. Padding holds column -1 and value 0.
template <class T>
struct SlicedEll {
  std::vector<offset> slice_start;  // slices + 1, in elements
  std::vector<lidx> col;
  std::vector<T> value;
};

template <class T>
SlicedEll<T> build_sliced_ell(const Csr<T>& block, lidx slice_rows);

/// Zeros where the matrix has nothing. The last row and column of blocks may reach beyond the matrix.
template <class T>
BlockElements<T> build_block_csr(const Csr<T>& block, int size);

/// Rows of a slice: chunk_rows if it is a power of two from 2 on, otherwise the warp size. Pure.
lidx cusparse_slice_rows(const FormatOptions& options);

/// b: entry_block, or the size that needs least bytes. Pure. Throws Error(usage) unless
/// least_entry_block <= b <= most_entry_block.
int cusparse_block_size(const std::vector<BlockCover>& covers, lidx rows, std::size_t value_bytes,
                        const FormatOptions& options);

/// Bytes of a position where there are `count` elements to point to: the library is fastest with 32 bits. Pure.
inline double cusparse_start_bytes(double count) {
  return count > std::numeric_limits<std::int32_t>::max() ? sizeof(offset) : sizeof(std::int32_t);
}

/// cusparse_csr, cusparse_sell and cusparse_bsr. Of the library's two algorithms for CSR the faster one is
/// taken: both are timed when the format is made.
template <class T>
std::vector<Format<T>> cusparse_formats();

}  // namespace spmv
