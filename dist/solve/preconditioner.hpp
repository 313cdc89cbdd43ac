// z = M^-1 r, which approximates A^-1 r, where A is the matrix as the workspace multiplies by it: normalised if it is far from 1.
// dist/solve/preconditioners.cpp is the table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

template <class T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// Whether M is the identity.
  virtual bool is_identity() const { return false; }
  /// If M^-1 is diagonal: its elements, in the basis of the matrix, in device memory. Then solvers multiply by it inside their
  /// own kernels and never call apply().
  virtual T* diagonal() { return nullptr; }
  /// Queues z = M^-1 r; the vectors are of make_vector(). Collective.
  virtual void apply(T* r, T* z) = 0;
  /// Why M is not hermitian and positive definite, as solvers for such matrices need it; empty: this rank knows of no reason.
  /// Local.
  virtual std::string not_definite() const { return {}; }
  /// What was chosen when it was made, for people, such as "degree 3 on [0.27, 8], estimated". Often empty.
  virtual std::string choices() const { return {}; }
};

/// M^-1 r inside a combination, where M is the identity or diagonal.
template <class T>
VectorName times_inverse(Combination<T>& c, Preconditioner<T>& m, VectorName r) {
  if (m.is_identity()) return r;
  const auto diagonal = c.vector(m.diagonal()), z = c.scratch();
  c.multiply(z, diagonal, r);
  return z;
}

/// What preconditioners are made from.
template <class T>
struct PreconditionerRequest {
  Workspace<T>& on;
  const DistributedRows<T>& rows;  // with values
  int degree = 3;                  // of polynomials in A
  double largest = 0;   // where polynomials take the spectrum of the matrix as given to end; 0: estimated
  double bound = 0;     // bound_largest_eigenvalue() of the matrix as given; 0: of `rows`
  lidx block_size = 8;  // rows of a dense block
};

/// Table row: a preconditioner by name.
template <class T>
struct PreconditionerRow {
  const char* name;
  const char* summary;
  /// Collective; throws AgreedError(input), with the global row, where the matrix does not allow it.
  std::unique_ptr<Preconditioner<T>> (*make)(const PreconditionerRequest<T>& request);
};

template <class T = double>
const std::vector<PreconditionerRow<T>>& preconditioners();

}  // namespace spmv
