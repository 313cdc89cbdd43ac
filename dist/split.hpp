// Local and nonlocal part of one rank's rows. Pure: no MPI.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// The columns that a rank needs from others, sorted by id and thereby by owner: ghost g lies at halo
/// position g.
std::vector<gidx> find_ghosts(const std::vector<gidx>& cols, gidx first_owned, gidx owned);

/// One rank's rows in local numbering, cut by column ownership [Kreutzer 2012, sect. 3.1].
template <class T>
struct Split {
  Csr<T> local;                    // all rows; columns are owned elements of x, from 0
  Csr<T> nonlocal;                 // boundary rows only; columns are ghosts, from 0
  std::vector<lidx> nonlocal_row;  // row of the local block that each nonlocal row adds to; ascending
};

/// block: rows with global column ids; the rank owns columns [first_owned, first_owned + owned); ghosts as
/// from find_ghosts. Throws Error(memory) if rows, owned or ghosts do not fit 32 bits.
template <class T>
Split<T> split(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts);

/// The same rows in one piece for vector mode: columns [0, owned) are owned, [owned, owned + ghosts) the
/// halo.
template <class T>
Csr<T> merge(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts);

}  // namespace spmv
