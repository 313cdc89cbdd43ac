// What a block looks like to storage formats: all that is needed to predict what each of them would cost.
#pragma once

#include <cstddef>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

inline constexpr lidx warp_rows = 32;     // rows that a warp, or a slice, takes side by side
inline constexpr lidx half_warp = 16;     // [Bordawekar 2013]: what rows of a block are padded to
inline constexpr lidx strip_cols = 1024;  // [Bordawekar 2013]: columns of a block, whose x is staged together

/// Rows sorted by descending length within windows of `window` rows.
struct SortOrder {
  lidx window = 1;
  offset iterations = 0;  // N_iter [Wang 2020, Eq. 1]: sum over warps of the longest row
};

/// The pattern covered by aligned b x b blocks.
struct BlockCover {
  int size = 0;
  offset blocks = 0;
  double fill = 0;  // share of the blocks' elements that are nonzeros
};

struct Analysis {
  lidx rows = 0;
  lidx cols = 0;
  offset nonzeros = 0;
  std::size_t value_bytes = 0;
  // [Vazquez 2011, Table I]
  lidx longest = 0;
  double mean_length = 0;   // Av
  double length_sigma = 0;  // standard deviation
  std::vector<offset>
      rows_of_length;  // [Kreutzer 2012, Fig. 3]: element l counts the rows of l nonzeros; longest + 1
  std::vector<SortOrder> orders;         // windows 1, 32, 1024 and all rows
  std::vector<BlockCover> block_covers;  // b = 2 to 6
  offset half_warp_elements =
      0;  // [Bordawekar 2013]: rows cut into strips of strip_cols, each padded to half_warp elements
  offset strips = 0;  // pairs of half_warp rows and a strip that hold a nonzero
  // Share of the nonzeros, in slices of warp_rows rows as they are, whose columns within a slice column
  double diagonal_share = 0;  // lie on few diagonals of the slice: no more than a quarter more than its
                              // longest row has elements
  double constant_share = 0;  // the same, and every one of these diagonals has one value
  double offset8_share = 0;   // are at most 255 apart (all of the slice, as in the next)
  double offset16_share = 0;  // are at most 65535 apart
  double gather_sectors = 0;  // 32-byte sectors of x that a slice column touches, over the least possible
  // Values
  int distinct_values = 0;  // up to 256; 257: more
  double float_share = 0;   // of the nonzeros in slices whose values are all exact in half their size

  /// N_iter with rows sorted within windows of `window` rows, or the next smaller that was counted.
  offset iterations(lidx window) const;
};

/// Local, OpenMP over rows; reads the block a few times. Pure.
template <class T>
Analysis analyze(const Csr<T>& block);

/// The block_covers of analyze() alone.
template <class T>
std::vector<BlockCover> block_covers(const Csr<T>& block);

/// Bytes of x, y and, for formats that keep them, row lengths: what every product moves beside its elements.
double vector_bytes(const Analysis& analysis);

/// Iterations of warps that give `threads_per_row` threads to every row, rows as they are sorted within
/// windows of `window`.
double row_iterations(const Analysis& analysis, int threads_per_row, lidx window = 1);

}  // namespace spmv
