// One rank's rows, those that need no ghosts apart from those that do. Pure: no MPI.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// Unlike Split, which cuts the rows themselves, every row stays whole and is in one of the two.
template <class T>
struct Parted {
  Csr<T> interior;                 // columns are owned elements of x, from 0
  Csr<T> boundary;                 // columns [0, owned) are owned, [owned, owned + ghosts) the halo
  std::vector<lidx> interior_row;  // which row of the rank each is; ascending
  std::vector<lidx> boundary_row;
};

/// Arguments and errors as of split(). `group`: so many neighbouring rows stay together, in the boundary
/// where one of them needs a ghost.
template <class T>
Parted<T> part(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts,
               lidx group);

}  // namespace spmv
