// Some of the lowest or highest eigenvalues of a hermitian matrix, with eigenvectors: restarted Lanczos.
#pragma once

#include <cstdint>

#include "dist/spectrum/eigen_result.hpp"

namespace spmv {

/// For `count` eigenvalues of a matrix with so many rows. Pure.
int default_subspace(int count, std::int64_t rows);

/// A stop without all pairs is a result, not an error: it then has the best pairs so far with their residuals. Collective, the
/// same result on all ranks but `seconds`. Throws AgreedError: usage for a count beyond the matrix's rows or a subspace that is
/// too small, input for a matrix that is not hermitian, memory; and Error if MPI or the device fails.
template <class T>
EigenResult<T> eigen(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options);

}  // namespace spmv
