#include "dist/solve/operator.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/row_work_scope.hpp"

namespace spmv {

template <class T>
Operator<T>::Operator(DistMatrix<T>& matrix, const Mode<T>& mode, MatrixUnits units)
    : matrix_(matrix), mode_(mode), units_(units), scales_(matrix.scales_rows()), sums_(matrix.sums_rows()) {}

template <class T>
Vector<T> Operator<T>::make_vector() const {
  Vector<T> vector(matrix_.make_x(), matrix_.owned() * columns());
  Queue& queue = matrix_.compute_queue();
  queue.fill(vector.data(), 0, vector.bytes());
  queue.synchronize();
  return vector;
}

template <class T>
std::string Operator<T>::normalisation(const Communicator& communicator) const {
  const bool apart = communicator.any_of(scales_apart());
  if (exponent() == 0) return {};
  return fmt::format("scaled by 2^{} {}", -exponent(),
                     apart ? "in a kernel of its own: those of this format cannot" : "in the product");
}

template <class T>
void Operator<T>::queue_product(T* x, T* y, RowWork<T> request) const {
  if (exponent() != 0 && scales_) {
    request.scales = true;
    request.factors.alpha *= static_cast<RealOf<T>>(factor());
  }
  const RowWorkScope<T> requested(matrix_, request);
  mode_.product(matrix_, x, y, nullptr);
}

SPMV_INSTANTIATE_CLASS(Operator);

}  // namespace spmv
