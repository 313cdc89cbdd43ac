// What the library's solvers and those of a caller work with.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "lib/product.hpp"
#include "lib/translate.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::lib {

/// Of so many columns. Chooses what carries the sums at the first call. Collective; throws AgreedError as RankSums.
template <class T>
std::unique_ptr<Workspace<T>> make_workspace(MatrixState<T>& A, int columns = 1);
/// The same for iterations in single precision.
template <class T>
std::unique_ptr<Workspace<SingleOf<T>>> make_inner_workspace(MatrixState<T>& A);

/// The matrix for solvers, which is normalised, with as many columns as it has now. Throws Error(usage) if it is not square. Local.
template <class T>
const Operator<T>& operator_of_solvers(MatrixState<T>& A);
/// The matrix for a caller's own solver, of any shape. Local.
template <class T>
const Operator<T>& operator_as_given(MatrixState<T>& A);
/// Throws Error(usage) if it is not square. Local.
template <class T>
void require_square(const MatrixState<T>& A);

/// What is left of the values after drop_values(), as preconditioners take rows. Local.
template <class T>
DistributedRows<T> rows_near_diagonal(const MatrixState<T>& A);

/// Waits for a matrix's queue and forgets what went wrong there: for destructors of what its work uses.
template <class T>
void await_quietly(MatrixState<T>& A) noexcept {
  try {
    A.matrix->compute_queue().synchronize();
  } catch (...) {  // a destructor must not throw
  }
}

/// A workspace for one solver or search: the one of one column that the matrix keeps, or a new one as long as that is lent, as to a solver that
/// calls a function in which another one works with the same matrix.
template <class T>
class OwnWorkspace {
 public:
  /// `A` must outlive this. Collective; throws AgreedError as make_workspace().
  explicit OwnWorkspace(MatrixState<T>& A, int columns = 1)
      : A_(A),
        on_(columns == 1 && A.kept_workspace != nullptr ? std::move(A.kept_workspace)
                                                        : make_workspace(A, columns)) {}
  ~OwnWorkspace() {
    if (on_->columns() == 1 && A_.kept_workspace == nullptr) A_.kept_workspace = std::move(on_);
  }
  OwnWorkspace(const OwnWorkspace&) = delete;
  OwnWorkspace& operator=(const OwnWorkspace&) = delete;
  Workspace<T>& operator*() const { return *on_; }

 private:
  MatrixState<T>& A_;
  std::unique_ptr<Workspace<T>> on_;
};

/// The state of spmv_dist::Workspace.
template <class T>
struct WorkspaceState {
  std::shared_ptr<MatrixState<T>> A;  // whose queue, device and threads it uses
  std::unique_ptr<Workspace<T>> on;
  std::unique_ptr<Scalars<T>> of_dots;  // apart, so that they change no slot
  bool sums_wait = false;               // in parts, to be added up when they are read
  std::uint64_t newest_line = 0;

  explicit WorkspaceState(std::shared_ptr<MatrixState<T>> a) : A(std::move(a)) {}
  ~WorkspaceState() {
    const Scope scope(*A->context->place.backend, A->threads);
    await_quietly(*A);
    of_dots.reset();
    on.reset();
  }
  WorkspaceState(const WorkspaceState&) = delete;
  WorkspaceState& operator=(const WorkspaceState&) = delete;
  void add_up() {
    if (sums_wait) on->add_up();
    sums_wait = false;
  }
};

/// Throws Error(usage) for a number that does not go from `first` to `end` - 1. `what`: for messages. Local.
int require_slot(int slot, int first, int end, const char* what);
/// The same for slots of sums.
int require_summed(int slot);

/// Throws Error(usage) for a vector of another matrix. Local.
template <class T>
void require_vector(const MatrixState<T>& A, const VectorState<T>& v);

/// Throws Error(usage) for vectors whose elements may be in different orders. Local.
template <class T>
void require_same_basis(const VectorState<T>& a, const VectorState<T>& b);

/// The vector as kernels take it, without its halo.
template <class T>
VectorRef<T> elements_of(const VectorState<T>& v) {
  return {v.data, v.basis->size};
}

/// Queues a combination, and before it the sums that it reads. Collective; throws Error(usage).
template <class T>
void run_combination(WorkspaceState<T>& on, const spmv_dist::Combination<T>& combination);

template <class T>
std::shared_ptr<VectorState<T>> vector_of(const spmv_dist::Vector<T>& vector) {
  return spmv_dist::internal::Access::state<VectorState<T>>(vector);
}

}  // namespace spmv::lib
