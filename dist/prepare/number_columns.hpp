// The columns of one rank's rows in local numbers. Pure: no MPI.
//
//   x of a rank = [ owned elements | halo ]          the halo holds the ghosts: elements that others own
//   column        0 .. owned - 1   | owned ..        in the order of their global ids, hence of their owners
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// A rank's rows in local numbers.
template <class T>
struct NumberedRows {
  Csr<T> block;              // every row whole; nonzeros in the order that they had
  std::vector<gidx> ghosts;  // global id of every element of the halo; ascending
};

/// Which columns are ghosts is decided here, once: everything later compares a column with `owned`. The rank
/// owns columns [first_owned, first_owned + owned). Throws Error(memory) if the rows, or the owned columns
/// and the ghosts together, do not fit 32 bits. Local.
template <class T>
NumberedRows<T> number_columns(RowBlock<T> rows, gidx first_owned, gidx owned);

}  // namespace spmv
