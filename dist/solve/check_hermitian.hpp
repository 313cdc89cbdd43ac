// Whether a matrix is hermitian, as far as two random vectors see.
#pragma once

#include <string>

#include "dist/solve/workspace.hpp"

namespace spmv {

/// Compares (u, A v) with (A u, v) for two random vectors. Two products. A matrix with values that are not finite passes:
/// solvers find them. `who` needs a hermitian matrix, such as "solver cg"; `advice` ends the message. Collective; throws AgreedError(input) with both
/// numbers if they differ by more than rounding.
template <class T>
void check_hermitian(Workspace<T>& on, const std::string& who, const std::string& advice = {});

}  // namespace spmv
