#include "kernels/parts/block_covers.hpp"

#include <algorithm>
#include <cstddef>

#include "core/value_types.hpp"
#include "kernels/parts/slice_sample.hpp"

namespace spmv {

void BlockCounts::add(const BlockCounts& other) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b] += other.blocks[b];
    nonzeros[b] += other.nonzeros[b];
  }
}

std::vector<BlockCover> BlockCounts::covers(offset all_nonzeros) const {
  std::vector<BlockCover> covers;
  for (int b = least_entry_block; b <= most_entry_block; ++b) {
    BlockCover cover{b, 0, 0};
    if (nonzeros[b] > 0) {
      cover.fill = nonzeros[b] / (blocks[b] * b * b);
      cover.blocks = static_cast<offset>(blocks[b] * static_cast<double>(all_nonzeros) / nonzeros[b]);
    }
    covers.push_back(cover);
  }
  return covers;
}

template <class T>
void count_blocks(const Csr<T>& block, offset first, offset last, BlockCounts& counts,
                  GroupScratch& scratch) {
  for (offset b = least_entry_block; b <= most_entry_block; ++b) {
    for (offset row = (first + b - 1) / b * b; row < last && row < block.rows; row += b) {
      const offset end = std::min<offset>(row + b, block.rows);
      counts.blocks[b] += static_cast<double>(count_groups(block, row, end, static_cast<lidx>(b), scratch));
      counts.nonzeros[b] += static_cast<double>(block.row_ptr[end] - block.row_ptr[row]);
    }
  }
}

template <class T>
std::vector<BlockCover> block_covers(const Csr<T>& block, offset most_slices) {
  const auto counts =
      sum_over_slices<BlockCounts>(SliceSample<T>(block, most_slices),
                                   [&](offset first, offset last, BlockCounts& mine, GroupScratch& scratch) {
                                     count_blocks(block, first, last, mine, scratch);
                                   });
  return counts.covers(block.nonzeros());
}

SPMV_INSTANTIATE(count_blocks);
SPMV_INSTANTIATE(block_covers);

}  // namespace spmv
