#pragma once

#include <array>

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
};

}  // namespace spmv
