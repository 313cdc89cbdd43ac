// Blocks of fixed size [Bordawekar 2013]: half_warp rows by strip_cols columns. The part of x that a block
// needs is loaded into shared memory once, in one piece, and used by all its rows. Every row of a block has
// as many elements as it needs, filled up to a multiple of half_warp; a block begins at any column that is
// such a multiple.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/format.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

inline offset band_count(lidx rows) {
  return (offset{rows} + half_warp - 1) / half_warp;
}

/// Bytes of what a block has beside its elements.
inline constexpr double block_bytes = sizeof(lidx) + sizeof(offset) + 2.0 * half_warp * sizeof(std::uint16_t);

/// A band is half_warp rows. Its blocks do not overlap, and between them there may be columns that none of
/// its rows refers to. Padding holds value 0 and column 0 and is never read.
template <class T>
struct Blocks {
  std::vector<offset> first_block;        // of every band; bands + 1
  std::vector<lidx> first_col;            // of every block, a multiple of half_warp
  std::vector<offset> first_element;      // of every block, a multiple of half_warp
  std::vector<std::uint16_t> row_start;   // half_warp per block: where the row begins after first_element, in
                                          // units of half_warp elements
  std::vector<std::uint16_t> row_length;  // half_warp per block, without padding
  std::vector<std::uint16_t> col;         // after first_col
  std::vector<T> value;
};

/// Elements of a row in the order of their columns. Throws Error(internal) if a row has more elements in a
/// block than the block has columns.
template <class T>
Blocks<T> build_blocks(const Csr<T>& block);

template <class T>
struct BlockView {
  using Value = T;
  lidx rows;
  lidx cols;
  const offset* first_block;
  const lidx* first_col;
  const offset* first_element;
  const std::uint16_t* row_start;
  const std::uint16_t* row_length;
  const std::uint16_t* col;
  const T* value;
  const lidx* row_list;
  float kept_share = 0;  // CUDA: see read_once.hpp
};

template <class T>
void multiply_host(const BlockView<T>& a, const T* x, T* y, Update update);

/// block.
template <class T>
std::vector<Format<T>> block_formats();

}  // namespace spmv
