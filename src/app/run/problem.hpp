#pragma once

#include <array>
#include <vector>

#include "core/csr.hpp"
#include "core/reference.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/product.hpp"

namespace spmv {

/// The matrix where it will be multiplied, and what its products must be.
template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x> reference;  // empty without --verify
  Shape shape;                                     // of the whole matrix
  gidx nonzeros = 0;                               // of all ranks together
  bool x_is_read = false;
  std::vector<T> x;              // that was read, of this rank's columns; nothing where x_value() makes it
  Move from_read;                // of rows, from where they were read
  std::vector<lidx> order = {};  // of this rank's rows behind that; empty: as they came

  /// This rank's elements of x number `number`, in natural order. Pure.
  std::vector<T> x_of(unsigned number) const {
    std::vector<T> elements;
    elements.reserve(rows.original_col.size());
    for (std::size_t i = 0; i < rows.original_col.size(); ++i)
      elements.push_back(x_is_read ? given_x(x[i], number) : x_value<T>(rows.original_col[i], number));
    return elements;
  }
};

}  // namespace spmv
