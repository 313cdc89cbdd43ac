// Small dense matrices of methods that work with blocks of vectors, real or complex, and their eigenvalues.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace spmv {

/// Conjugate of a number, and its real part. Pure.
inline double conjugated(double a) {
  return a;
}
inline std::complex<double> conjugated(std::complex<double> a) {
  return std::conj(a);
}

/// A few hundred rows and columns at most. E: double or std::complex<double>.
template <class E>
class Dense {
 public:
  Dense() = default;
  Dense(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        value_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  E& operator()(int i, int j) { return value_[at(i, j)]; }
  const E& operator()(int i, int j) const { return value_[at(i, j)]; }
  std::vector<E>& elements() { return value_; }  // by columns
  const std::vector<E>& elements() const { return value_; }

 private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(i);
  }
  int rows_ = 0, columns_ = 0;
  std::vector<E> value_;
};

/// A B, and A^H B. Pure.
template <class E>
Dense<E> times(const Dense<E>& a, const Dense<E>& b) {
  Dense<E> product(a.rows(), b.columns());
  for (int j = 0; j < b.columns(); ++j)
    for (int k = 0; k < a.columns(); ++k)
      for (int i = 0; i < a.rows(); ++i) product(i, j) += a(i, k) * b(k, j);
  return product;
}
template <class E>
Dense<E> adjoint_times(const Dense<E>& a, const Dense<E>& b) {
  Dense<E> product(a.columns(), b.columns());
  for (int j = 0; j < b.columns(); ++j)
    for (int i = 0; i < a.columns(); ++i)
      for (int k = 0; k < a.rows(); ++k) product(i, j) += conjugated(a(k, i)) * b(k, j);
  return product;
}

/// A - B. Pure.
template <class E>
Dense<E> minus(Dense<E> a, const Dense<E>& b) {
  for (std::size_t i = 0; i < a.elements().size(); ++i) a.elements()[i] -= b.elements()[i];
  return a;
}

/// Some rows or columns of A, A above B, and A beside B. Pure.
template <class E>
Dense<E> rows_of(const Dense<E>& a, int first, int count) {
  Dense<E> some(count, a.columns());
  for (int j = 0; j < a.columns(); ++j)
    for (int i = 0; i < count; ++i) some(i, j) = a(first + i, j);
  return some;
}
template <class E>
Dense<E> columns_of(const Dense<E>& a, int first, int count) {
  Dense<E> some(a.rows(), count);
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < a.rows(); ++i) some(i, j) = a(i, first + j);
  return some;
}
template <class E>
Dense<E> below(const Dense<E>& a, const Dense<E>& b) {
  Dense<E> both(a.rows() + b.rows(), b.columns());
  for (int j = 0; j < b.columns(); ++j)
    for (int i = 0; i < both.rows(); ++i) both(i, j) = i < a.rows() ? a(i, j) : b(i - a.rows(), j);
  return both;
}
template <class E>
Dense<E> beside(Dense<E> a, const Dense<E>& b) {
  Dense<E> both(a.rows(), a.columns() + b.columns());
  both.elements() = std::move(a.elements());
  both.elements().insert(both.elements().end(), b.elements().begin(), b.elements().end());
  return both;
}

template <class E>
struct HermitianEigen {
  std::vector<double> values;  // ascending
  Dense<E> vectors;            // C: column i belongs to values[i], and C^H G C = 1
};

/// H c = lambda G c for hermitian H and G, of which the upper triangles are read, and a positive definite G: by LAPACK, on rank 0
/// for all ranks, so that all have the same bits. Collective; throws AgreedError(internal) for values that are not finite, or a G
/// that is not positive definite.
template <class E>
HermitianEigen<E> hermitian_eigen(const Communicator& communicator, const Dense<E>& H, const Dense<E>& G);

}  // namespace spmv
