// A coarser level of a hierarchy, as its owner brings it.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// A level, and how it hangs on the next finer one. Rows of this rank, with global columns. A rank owns consecutive rows of each
/// level; it may own none.
template <class T>
struct CoarseLevel {
  RowPartition rows;  // of A
  RowBlock<T> A;
  RowBlock<T> P;  // from this level to the finer one: has the finer level's rows and this level's columns
  RowBlock<T> R;  // from the finer level to this one: has this level's rows and the finer level's columns
  std::vector<gidx> ids =
      {};  // what its owner calls this rank's rows of A, for messages; empty: they count up
};

}  // namespace spmv
