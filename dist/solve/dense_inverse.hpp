// The inverse of a small dense matrix.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace spmv {

/// Replaces a matrix with n rows, stored row by row, by its inverse [LAPACK: gesv]. False if it has none, or a value that is not
/// finite; the matrix is of no use then. Pure.
bool invert_dense(std::vector<double>& matrix, std::size_t n);
bool invert_dense(std::vector<std::complex<double>>& matrix, std::size_t n);

}  // namespace spmv
