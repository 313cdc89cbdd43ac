// Vectors that know nothing of the matrix, for checks and estimates before a solve.
#pragma once

#include <vector>

#include "core/reference.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// Pseudorandom numbers in [-1, 1): the same in every run on as many ranks, others for another `number`. Local.
template <class T>
Buffer<T> random_vector(Workspace<T>& on, unsigned number) {
  const gidx first = gidx{on.communicator().rank()} << 32;
  std::vector<T> natural;
  natural.reserve(static_cast<std::size_t>(on.rows()));
  for (lidx i = 0; i < on.rows(); ++i) natural.push_back(x_value<T>(first + i, number));
  const std::vector<T> in_basis = on.matrix().to_basis(natural);
  Buffer<T> vector = on.make_vector();
  if (!in_basis.empty())
    on.matrix().backend()->upload(vector.data(), in_basis.data(), in_basis.size() * sizeof(T));
  return vector;
}

}  // namespace spmv
