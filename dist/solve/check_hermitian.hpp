// Whether a matrix is hermitian, as far as two random vectors see.
#pragma once

#include <string>

#include "dist/solve/workspace.hpp"

namespace spmv {

/// Compares (u, A v) with (A u, v) for two random vectors, with rows and columns scaled to about the same size, so that a large
/// element hides no difference between others. Two products. A matrix with values that are not finite passes: solvers find them.
/// A difference counts beside the geometric mean of the largest elements of its row and its column.
/// `who` needs a hermitian matrix, such as "solver cg"; `advice` ends the message. Collective; throws AgreedError(input) with the
/// difference if it is more than rounding may leave.
template <class T>
void check_hermitian(Workspace<T>& on, const Operator<T>& A, const std::string& who,
                     const std::string& advice = {});

}  // namespace spmv
