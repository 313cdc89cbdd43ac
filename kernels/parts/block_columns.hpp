// Which blocks some rows need.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/parts/block_source.hpp"

namespace spmv {

/// Block columns, `b` columns wide, that hold an element of rows first .. last - 1: each once, ascending, in `found`.
/// Local.
template <class T>
void find_block_cols(const BlockSource<T>& from, offset first, offset last, int b, std::vector<lidx>& found) {
  found.clear();
  for (offset row = first; row < last; ++row)
    for (offset k = from.begin(row); k < from.end(row); ++k) found.push_back(from.column(k) / b);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace spmv
