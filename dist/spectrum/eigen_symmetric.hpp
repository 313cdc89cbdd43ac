// Eigenvalues and eigenvectors of small dense matrices, such as those that Lanczos projects a large one to.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"

namespace spmv {

/// A square matrix of a few hundred rows at most.
class SmallMatrix {
 public:
  SmallMatrix() = default;
  explicit SmallMatrix(int rows)
      : rows_(rows), value_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows)) {}
  int rows() const { return rows_; }
  double& operator()(int i, int j) { return value_[at(i, j)]; }
  double operator()(int i, int j) const { return value_[at(i, j)]; }
  std::vector<double>& elements() { return value_; }  // by columns

 private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(i);
  }
  int rows_ = 0;
  std::vector<double> value_;
};

struct SymmetricEigen {
  std::vector<double> values;  // ascending
  SmallMatrix vectors;         // column i: of values[i], with norm 1
};

/// Of a symmetric matrix, of which the upper triangle is read, by LAPACK: errors are some eps times the matrix's norm. Throws
/// Error(internal) if a value is not finite. Pure.
SymmetricEigen eigen_symmetric(const SmallMatrix& matrix);

/// The same from rank 0, for its matrix: the same bits on all ranks, whose processors or threads may lead LAPACK to others.
/// Collective; throws AgreedError(internal).
SymmetricEigen eigen_symmetric(const Communicator& communicator, const SmallMatrix& matrix);

}  // namespace spmv
