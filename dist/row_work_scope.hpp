// Products of a matrix that scale and sum their rows, for the length of a scope.
#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Products of the matrix do this as long as this lives, also where one fails.
template <class T>
class RowWorkScope {
 public:
  RowWorkScope(DistMatrix<T>& matrix, const RowWork<T>& work) : matrix_(matrix) {
    matrix_.set_row_work(work);
  }
  ~RowWorkScope() { matrix_.set_row_work({}); }
  RowWorkScope(const RowWorkScope&) = delete;
  RowWorkScope& operator=(const RowWorkScope&) = delete;

 private:
  DistMatrix<T>& matrix_;
};

}  // namespace spmv
