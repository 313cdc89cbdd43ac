// The matrix as solvers and searches multiply by it, and what they work with.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {

namespace {

/// With numbers of V.
template <class V, class T>
std::unique_ptr<Workspace<V>> workspace_of(MatrixState<T>& A, int columns) {
  TransportRequest request = A.options.dist.transport_request;
  request.earlier_trials = nullptr;  // those are of the halo
  const std::string& wanted = A.sums_transport.empty() ? A.options.transport : A.sums_transport;
  auto workspace = std::make_unique<Workspace<V>>(A.context->communicator, A.matrix->backend(),
                                                  A.matrix->compute_queue(), wanted, request, columns);
  const std::vector<std::string> taken = workspace->sums_transports();
  if (taken.size() == 1) A.sums_transport = taken.front();
  return workspace;
}

}  // namespace

template <class T>
std::unique_ptr<Workspace<T>> make_workspace(MatrixState<T>& A, int columns) {
  return workspace_of<T>(A, columns);
}

template <class T>
std::unique_ptr<Workspace<SingleOf<T>>> make_inner_workspace(MatrixState<T>& A) {
  return workspace_of<SingleOf<T>>(A, 1);
}

template <class T>
void require_square(const MatrixState<T>& A) {
  if (!A.rows.square())
    throw Error(ExitCode::usage,
                fmt::format("the matrix has {} rows and {} columns, and solvers need a square one",
                            A.rows.shape.rows, A.rows.shape.cols));
}

template <class T>
const Operator<T>& operator_of_solvers(MatrixState<T>& A) {
  require_square(A);
  const int columns = A.matrix->columns();
  std::optional<Operator<T>>& normalised = columns == 1 ? A.normalised : A.several.at(columns).normalised;
  if (!normalised) normalised.emplace(*A.matrix, *A.mode, MatrixUnits::normalised);
  return *normalised;
}

template <class T>
const Operator<T>& operator_as_given(MatrixState<T>& A) {
  if (!A.as_given) A.as_given.emplace(*A.matrix, *A.mode, MatrixUnits::as_given);
  return *A.as_given;
}

template <class T>
DistributedRows<T> rows_near_diagonal(const MatrixState<T>& A) {
  return {A.rows.shape, A.rows.rows, A.rows.cols, A.near_diagonal, {}, A.ids[1], A.ids[0]};
}

SPMV_INSTANTIATE(rows_near_diagonal);
SPMV_INSTANTIATE(make_workspace);
SPMV_INSTANTIATE(make_inner_workspace);
SPMV_INSTANTIATE(require_square);
SPMV_INSTANTIATE(operator_of_solvers);
SPMV_INSTANTIATE(operator_as_given);

}  // namespace spmv::lib
