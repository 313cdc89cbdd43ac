// Into how many aligned b x b blocks the nonzeros of some rows fit.
#pragma once

#include <array>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format_options.hpp"
#include "kernels/parts/column_groups.hpp"

namespace spmv {

/// The pattern covered by aligned b x b blocks.
struct BlockCover {
  int size = 0;
  offset blocks = 0;
  double fill = 0;  // share of the blocks' elements that are nonzeros
};

/// Blocks of every size b in some rows, and the nonzeros in them.
struct BlockCounts {
  std::array<double, most_entry_block + 1> blocks{};
  std::array<double, most_entry_block + 1> nonzeros{};

  void add(const BlockCounts& other);
  /// What a block of `all_nonzeros` has, if all its rows are like those that were counted.
  std::vector<BlockCover> covers(offset all_nonzeros) const;
};

/// Adds the blocks whose first row is one of rows first .. last - 1. Local.
template <class T>
void count_blocks(const Csr<T>& block, offset first, offset last, BlockCounts& counts, GroupScratch& scratch);

/// Covers of b = least_entry_block to most_entry_block, from so many slices, spread evenly. Sizes of blocks differ by far more
/// bytes than such a sample errs. OpenMP. Pure.
template <class T>
std::vector<BlockCover> block_covers(const Csr<T>& block, offset most_slices = 512);

}  // namespace spmv
