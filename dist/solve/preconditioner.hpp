// z = M^-1 r, which approximates A^-1 r. dist/solve/preconditioners.cpp is the table.
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
};

/// What preconditioners are made from.
template <class T>
struct PreconditionerRequest {
  Workspace<T>& on;
  const DistributedRows<T>& rows;  // with values
  int degree = 3;                  // of polynomials
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
