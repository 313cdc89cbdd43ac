// Vectors that know nothing of the matrix, for checks and estimates before a solve; and elements of vectors on the host.
#pragma once

#include <vector>

#include "core/reference.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// Copies a vector to the device. Blocks. Local.
template <class T>
void upload(Backend& backend, const VectorRef<T>& to, const std::vector<T>& values) {
  if (!values.empty()) backend.upload(to.at, values.data(), values.size() * sizeof(T));
}

/// This rank's elements of a multivector in the basis of A, with its rows in natural order. Waits. Local.
template <class T>
std::vector<T> natural_elements(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v) {
  std::vector<T> mine(static_cast<std::size_t>(A.elements()));
  on.queue().synchronize();
  download(on.backend(), mine.data(), v.data(), mine.size());
  return A.matrix().from_basis(mine);
}

/// The same elements of a vector in every column of A, as elements of a multivector. Pure.
template <class T>
std::vector<T> in_every_column(const Operator<T>& A, const std::vector<T>& elements) {
  std::vector<T> all;
  all.reserve(elements.size() * static_cast<std::size_t>(A.columns()));
  for (const T& element : elements) all.insert(all.end(), static_cast<std::size_t>(A.columns()), element);
  return all;
}

/// Pseudorandom numbers in [-1, 1), of ids from `first` on; others for another `number`. Column 0 is that of one column. Local.
template <class T>
Vector<T> random_vector(Workspace<T>& on, const Operator<T>& A, unsigned number, gidx first) {
  std::vector<T> natural;
  natural.reserve(static_cast<std::size_t>(A.elements()));
  for (lidx i = 0; i < A.rows(); ++i)
    for (unsigned j = 0; j < static_cast<unsigned>(A.columns()); ++j)
      natural.push_back(x_value<T>(first + i, number + 1000 * j));
  Vector<T> vector = A.make_vector();
  upload(on.backend(), vector, A.matrix().to_basis(natural));
  return vector;
}
/// The same in every run on as many ranks. Local.
template <class T>
Vector<T> random_vector(Workspace<T>& on, const Operator<T>& A, unsigned number) {
  return random_vector(on, A, number, gidx{on.communicator().rank()} << 32);
}

}  // namespace spmv
