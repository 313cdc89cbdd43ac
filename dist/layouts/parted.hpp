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

template <class T>
struct Parted {
  Csr<T> interior;                 // columns are owned elements of x, from 0
  Csr<T> boundary;                 // columns [0, owned) are owned, [owned, owned + ghosts) the halo
  std::vector<lidx> interior_row;  // which row of the rank each is; ascending
  std::vector<lidx> boundary_row;
};

/// Columns of `block` from `owned` on are ghosts, see number_columns(). So many neighbouring rows as `group`
/// says stay together: all are boundary rows where one of them needs a ghost. Pure.
template <class T>
Parted<T> part(const Csr<T>& block, lidx owned, lidx group);

/// interior and boundary: the two parts in one format, that of the larger one, so that one kernel may do
/// both. See NamedLayout::build.
///
/// The basis has the interior rows first, then the boundary rows, each as the format sorts them. Formats that
/// want the rows' neighbourhood kept have the rows in their natural order instead, and both parts have row
/// lists; rows that such a format stores together stay together, unless that leaves little interior.
template <class T>
Operators<T> build_parted(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend);

}  // namespace spmv
