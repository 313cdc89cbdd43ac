// The state of spmv_dist::Hierarchy.
#pragma once

#include <memory>
#include <optional>

#include "dist/solve/hierarchy.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {

template <class T>
struct HierarchyState {
  std::shared_ptr<MatrixState<T>> A;
  std::optional<OwnWorkspace<T>> on;
  std::unique_ptr<Hierarchy<T>> cycle;
  int made_of = 0;  // MatrixState::updates then

  explicit HierarchyState(std::shared_ptr<MatrixState<T>> a) : A(std::move(a)), made_of(A->updates) {}
  ~HierarchyState() {
    const Scope scope(*A->context->place.backend, A->threads);
    await_quietly(*A);
    cycle.reset();
    on.reset();
  }
  HierarchyState(const HierarchyState&) = delete;
  HierarchyState& operator=(const HierarchyState&) = delete;
};

/// Throws Error(usage) if it was made for another matrix, or for other values of this one. Local.
template <class T>
void require_hierarchy_of(const MatrixState<T>& A, const HierarchyState<T>& M) {
  if (M.A.get() != &A)
    throw Error(ExitCode::usage, "the hierarchy belongs to another matrix: make one of this matrix");
  if (M.made_of != A.updates)
    throw Error(
        ExitCode::usage,
        "update_values() has given the matrix other values than this hierarchy was made for: make a new "
        "Hierarchy");
}

}  // namespace spmv::lib
