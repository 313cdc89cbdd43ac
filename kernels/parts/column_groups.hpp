// In how many groups of neighbouring columns the nonzeros of some rows lie: blocks, strips, or sectors of x.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Memory that is used again for other rows.
struct GroupScratch {
  std::vector<lidx> cols;
  std::vector<std::uint64_t> marks;
};

/// Different values of col / size in rows first .. last - 1. Pure.
template <class T>
offset count_groups(const Csr<T>& block, offset first, offset last, lidx size, GroupScratch& scratch) {
  const auto begin = block.col.begin() + block.row_ptr[first], end = block.col.begin() + block.row_ptr[last];
  if (begin == end) return 0;
  const auto [low, high] = std::minmax_element(begin, end);
  const lidx lowest = *low / size, groups = *high / size - lowest + 1;
  constexpr lidx bits = 64;
  constexpr offset marks_for_an_element = 8;  // looking through more of them takes longer than sorting
  if (groups / bits <= marks_for_an_element * (end - begin)) {
    scratch.marks.assign(static_cast<std::size_t>(groups / bits) + 1, 0);
    for (auto col = begin; col != end; ++col) {
      const lidx group = *col / size - lowest;
      scratch.marks[static_cast<std::size_t>(group / bits)] |= std::uint64_t{1} << (group % bits);
    }
    offset count = 0;
    for (const std::uint64_t mark : scratch.marks)
      count += static_cast<offset>(std::bitset<bits>(mark).count());
    return count;
  }
  scratch.cols.clear();
  for (auto col = begin; col != end; ++col) scratch.cols.push_back(*col / size);
  std::sort(scratch.cols.begin(), scratch.cols.end());
  return std::unique(scratch.cols.begin(), scratch.cols.end()) - scratch.cols.begin();
}

/// Different sectors of x that rows first .. last - 1 read. Pure.
template <class T>
offset count_sectors(const Csr<T>& block, offset first, offset last, GroupScratch& scratch) {
  return count_groups(block, first, last, static_cast<lidx>(sector_bytes / sizeof(T)), scratch);
}

}  // namespace spmv
