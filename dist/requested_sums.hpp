// Products of a matrix that scale and sum their rows, for the length of a scope.
#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Products of the matrix do what is requested as long as this lives, also where one fails.
template <class T>
class RequestedSums {
 public:
  RequestedSums(DistMatrix<T>& matrix, const RowSumsRequest<T>& sums) : matrix_(matrix) {
    matrix_.request_sums(sums);
  }
  ~RequestedSums() { matrix_.request_sums({}); }
  RequestedSums(const RequestedSums&) = delete;
  RequestedSums& operator=(const RequestedSums&) = delete;

 private:
  DistMatrix<T>& matrix_;
};

}  // namespace spmv
