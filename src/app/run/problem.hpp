#pragma once

#include <array>
#include <vector>

#include "app/run/run.hpp"
#include "core/csr.hpp"
#include "core/reference.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "dist/product.hpp"

namespace spmv {

/// The matrix as it was loaded, and what its products must be. References are made from the rows as read, before anything
/// is moved or renumbered, so that a mistake in partitioning cannot hide in them.
template <class T>
struct LoadedMatrix {
  Ownership owners;
  RowBlock<T> block;
  std::array<Reference<T>, distinct_x> reference;  // of the rows of `block`; empty without --verify
  std::vector<T> x;                                // that was read; empty: x_value() makes it
};

/// The matrix where it will be multiplied, and what its products must be.
template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x> reference;  // of the rows of this rank; empty without --verify
  gidx nonzeros = 0;                               // of all ranks together
  bool x_is_read = false;
  std::vector<T> x;   // that was read, of this rank's columns; empty: x_value() makes it
  Move from_read;     // of rows, from where they were read
  ChosenOrder order;  // of this rank's rows after that

  /// This rank's elements of x number `number`, in natural order. Pure.
  std::vector<T> x_of(unsigned number) const;
};

/// Moves a loaded matrix, its references and its x to the ranks that own them. The request names an assignment.
/// Collective; throws AgreedError.
template <class T>
Problem<T> make_problem(const Run& run, LoadedMatrix<T> loaded, RowsRequest request);

}  // namespace spmv
