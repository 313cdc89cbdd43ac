// Layout split: every row is cut by who owns its columns [Kreutzer 2012, sect. 3.1].
//
//   row of the rank = [ local: its own elements of x | nonlocal: the halo ]
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "dist/dist_options.hpp"
#include "dist/operators.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// The rows of a rank, cut.
template <class T>
struct Split {
  Csr<T> local;                    // all rows; columns are owned elements of x, from 0
  Csr<T> nonlocal;                 // boundary rows only; columns are ghosts, from 0
  std::vector<lidx> nonlocal_row;  // row of the local block that each nonlocal row adds to; ascending
};

/// Cuts the rows. Columns of `block` from `owned` on are ghosts, see number_columns(). Pure.
template <class T>
Split<T> split(const Csr<T>& block, lidx owned);

/// interior: the local block. boundary: the nonlocal one, which adds to y; its rows are in the order of its
/// own format. See Layout::build.
template <class T>
Operators<T> build_split(const DistributedRows<T>& rows, const DistOptions& options,
                         const std::shared_ptr<Backend>& backend);

}  // namespace spmv
