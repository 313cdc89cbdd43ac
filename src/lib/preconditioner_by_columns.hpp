// A preconditioner of vectors, for the columns of multivectors.
#pragma once

#include <string>

#include "dist/solve/preconditioner.hpp"
#include "kernels/by_columns.hpp"
#include "lib/product.hpp"

namespace spmv::lib {

/// Applies a preconditioner that takes one vector at a time to one column after another.
template <class T>
class PreconditionerByColumns final : public Preconditioner<T> {
 public:
  /// Both must outlive this. Local.
  PreconditionerByColumns(MatrixState<T>& A, Preconditioner<T>& of_vectors) : A_(A), of_vectors_(of_vectors) {
    const InColumns<T> vectors(A_, 1);
    r_ = operator_of_solvers(A_).make_vector();
    z_ = operator_of_solvers(A_).make_vector();
  }
  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override {
    const int columns = A_.matrix->columns();
    const InColumns<T> vectors(A_, 1);
    const lidx rows = A_.matrix->rows();
    Queue& queue = A_.matrix->compute_queue();
    for (int j = 0; j < columns; ++j) {
      take_column(queue, static_cast<const T*>(r.at), columns, j, rows, r_.data());
      of_vectors_.apply(r_, z_);
      put_column(queue, static_cast<const T*>(z_.data()), rows, z.at, columns, j);
    }
  }
  std::string not_definite() const override { return of_vectors_.not_definite(); }
  bool is_long() const override { return of_vectors_.is_long(); }

 private:
  MatrixState<T>& A_;
  Preconditioner<T>& of_vectors_;
  Vector<T> r_, z_;
};

}  // namespace spmv::lib
