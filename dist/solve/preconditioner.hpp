// z = M^-1 r, which approximates A^-1 r, where A is an operator: normalised if the matrix is far from 1.
// dist/solve/preconditioners.cpp is the table.
#pragma once

#include <functional>
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
  /// Queues z = M^-1 r; the vectors are of Operator::make_vector(). Collective.
  virtual void apply(const VectorRef<T>& r, const VectorRef<T>& z) = 0;
  /// Why M is not hermitian and positive definite, as solvers for such matrices need it; empty: this rank knows of no reason.
  /// Local.
  virtual std::string not_definite() const { return {}; }
  /// Whether apply() takes the device longer than the host needs to queue an iteration: then a solver queues none too many.
  virtual bool is_long() const { return false; }
  /// Work inside apply() to be timed alone, by name, such as "level 1 and coarser"; often none. It is good until
  /// the preconditioner ends.
  struct TimedWork {
    std::string name;
    std::function<void()> queue;
  };
  virtual std::vector<TimedWork> timed_work() { return {}; }
  /// What was chosen when it was made, for people, such as "degree 3 on [0.27, 8], estimated". Often empty.
  virtual std::string choices() const { return {}; }
};

/// M^-1 r of one vector r after another inside a solver: r itself, a product inside the solver's kernel, or a vector of its own.
template <class T>
class Preconditioned {
 public:
  /// Local.
  Preconditioned(Preconditioner<T>& M, const Operator<T>& A) : M_(M) {
    if (in_memory()) z_ = A.make_vector();
  }
  /// Whether M^-1 r is a vector of its own, which apply() makes.
  bool in_memory() const { return !M_.is_identity() && M_.diagonal() == nullptr; }
  /// Queues z = M^-1 r where that takes kernels of its own. Collective.
  void apply(const VectorRef<T>& r) {
    if (in_memory()) M_.apply(r, z_);
  }
  /// M^-1 r inside a combination; apply() made it where it is in memory.
  VectorRef<T> in(Combination<T>& c, const VectorRef<T>& r) const {
    if (M_.is_identity()) return r;
    if (in_memory()) return z_;
    const VectorRef<T> z = c.scratch();
    c.multiply(z, {M_.diagonal(), r.count}, r);
    return z;
  }

 private:
  Preconditioner<T>& M_;
  Vector<T> z_;
};

/// Of multigrid.
struct MultigridRequest {
  std::string smoother = "chebyshev";  // a name of smoothers()
  int degree = 1;                      // of smoother chebyshev
  bool w_cycle = false;
  int unknowns = 1;  // of each grid point, whose rows follow each other
};

/// What preconditioners are made from.
template <class T>
struct PreconditionerRequest {
  Workspace<T>& on;
  const Operator<T>& A;
  const DistributedRows<T>& rows;  // of A, with values and original_row
  int degree = 3;                  // of polynomials in A
  double largest = 0;   // where polynomials take the spectrum of the matrix as given to end; 0: estimated
  double bound = 0;     // bound_largest_eigenvalue() of the matrix as given; 0: of `rows`
  lidx block_size = 8;  // rows of a dense block
  MultigridRequest multigrid = {};
  bool project_constant = false;  // as SolveOptions::project_constant
};

/// Table row: a preconditioner by name.
template <class T>
struct PreconditionerRow {
  const char* name;
  const char* summary;
  /// Collective; throws AgreedError(input), with the global row, where the matrix does not allow it.
  std::unique_ptr<Preconditioner<T>> (*make)(const PreconditionerRequest<T>& request);
  bool needs_all_values =
      false;  // of `rows`; otherwise those of blocks of `block_size` rows on the diagonal are enough
};

template <class T = double>
const std::vector<PreconditionerRow<T>>& preconditioners();

}  // namespace spmv
