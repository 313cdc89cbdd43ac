// A copy of a matrix in single precision, for solvers that iterate on it.
#pragma once

#include <memory>
#include <optional>

#include "dist/solve/operator.hpp"

namespace spmv::lib {

template <class T>
class MatrixState;

template <class T>
struct InnerMatrix {
  using S = SingleOf<T>;
  DistOptions options;  // that it was built with
  std::unique_ptr<DistMatrix<S>> matrix;
  std::optional<Operator<S>> by;
};

/// Makes A.inner, of A.rows, which still have their values, with the queue, layout, mode and transport of A.matrix. Collective; throws
/// AgreedError, of usage if A is in single precision or not square.
template <class T>
void build_inner(MatrixState<T>& A);
/// Gives A.inner the new values of A.rows, after A.matrix has got them. Collective; throws AgreedError.
template <class T>
void replace_inner(MatrixState<T>& A);

}  // namespace spmv::lib
