// Layout parted: every row stays whole; those that need no ghosts come first, the others wait for the halo.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "dist/dist_options.hpp"
#include "dist/operators.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// The rows of a rank in two parts, both with their nonzeros in the order that they had.
template <class T>
struct Parted {
  Csr<T> interior;                 // columns are owned elements of x, from 0
  Csr<T> boundary;                 // columns [0, owned) are owned, [owned, owned + ghosts) the halo
  std::vector<lidx> interior_row;  // row i of `interior` is row interior_row[i] of the rank; ascending
  std::vector<lidx> boundary_row;  // likewise
};

/// Parts the rows. Columns of `block` from `owned` on are ghosts, see number_columns(). Rows are taken in
/// groups of `group` neighbours, from row 0 on: if one row of a group needs a ghost, all are boundary rows.
/// Pure.
template <class T>
Parted<T> part(const Csr<T>& block, lidx owned, lidx group);

/// interior and boundary: the two parts in the same format, chosen for the larger one, so that one kernel may
/// do both. See Layout::build.
///
/// The basis has the interior rows first, then the boundary rows, each as the format sorts them. For a format
/// with Format::keeps_neighbourhood the basis is the natural order instead, and parts have row lists where their rows are no
/// neighbours; rows that such a format stores together go to the same part, unless that would halve the interior.
template <class T>
Operators<T> build_parted(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend);

}  // namespace spmv
