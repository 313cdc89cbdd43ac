// The local numbers of the columns of one rank's rows. No MPI.
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
  Csr<T> block;              // all nonzeros of every row, in their old order
  std::vector<gidx> ghosts;  // global id of every element of the halo; ascending
};

/// Decides, once for all later steps, which columns are ghosts, and numbers them from `owned` on. The rank owns columns
/// [first_owned, first_owned + owned). Throws Error(memory) if the numbers of rows, or of owned columns and ghosts
/// together, do not fit 32 bits. Local.
template <class T>
NumberedRows<T> number_columns(RowBlock<T> rows, gidx first_owned, gidx owned);

}  // namespace spmv
