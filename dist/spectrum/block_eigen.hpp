// Eigenvalues at one end of the spectrum with all their copies, by blocks of vectors, with or without a preconditioner.
#pragma once

#include "dist/solve/preconditioner.hpp"
#include "dist/spectrum/eigen_result.hpp"

namespace spmv {

/// Vectors of the subspace, for blocks of `block` vectors and `count` eigenvalues. Pure.
int default_block_subspace(int block, int count);

/// As eigen() of eigen.hpp, by blocks of as many vectors as `on` has columns, 1 or more. An eigenvalue is found with all its copies, `copies`
/// set or not: a block of random vectors leads to as many of them as it has vectors, and where an eigenvalue has as many, the
/// search goes on from another block.
///
/// `M`, hermitian and positive definite, is near A^-1 and speeds up the search for the lowest eigenvalues; nullptr: there is none.
/// Result: pair i is column i % columns of vectors[i / columns], and a product is one of all columns. Collective; throws
/// AgreedError as eigen(), and usage for a preconditioner at the other end.
template <class T>
EigenResult<T> block_eigen(Workspace<T>& on, const Operator<T>& A, Preconditioner<T>* M,
                           const EigenOptions& options);

}  // namespace spmv
