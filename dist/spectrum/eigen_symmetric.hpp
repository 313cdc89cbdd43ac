// Eigenvalues and eigenvectors of small dense matrices, such as those that Lanczos projects a large one to.
#pragma once

#include <cstddef>
#include <vector>

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

 private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(j);
  }
  int rows_ = 0;
  std::vector<double> value_;  // by rows
};

struct SymmetricEigen {
  std::vector<double> values;  // ascending
  SmallMatrix vectors;         // column i: of values[i], with norm 1
};

/// Of a symmetric matrix with finite values, tridiagonal first, then by QR steps [Golub & Van Loan 2013, sec. 8.3]: errors are some eps
/// times the matrix's norm. Pure; the same bits from the same matrix.
SymmetricEigen eigen_symmetric(const SmallMatrix& matrix);

}  // namespace spmv
