#include "dist/solve/constant_vectors.hpp"

#include <cmath>
#include <complex>

#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

/// Collective.
template <class T>
Vector<T> vector_of_ones(Workspace<T>& on, const Operator<T>& A) {
  return on.communicator().together([&] {
    Vector<T> ones = A.make_vector();
    upload(on.backend(), ones, std::vector<T>(static_cast<std::size_t>(A.elements()), T(1)));
    return ones;
  });
}

}  // namespace

template <class T>
ConstantProjection<T>::ConstantProjection(Workspace<T>& on, const Operator<T>& A)
    : on_(on), ones_(vector_of_ones(on, A)) {
  one_over_rows_ = 1 / static_cast<double>(on.communicator().sum(gidx{A.rows()}));
}

template <class T>
void ConstantProjection<T>::apply(const VectorRef<T>& v) {
  on_.run(Combination<T>().sum(0, ones_, v));
  on_.add_up();
  const Number mean = slot(0) * one_over_rows_;
  on_.run(Combination<T>().set(v, v - mean * ones_));
}

template <class T>
RowSum largest_row_sum(Workspace<T>& on, const Operator<T>& A) {
  Vector<T> ones = vector_of_ones(on, A);
  Vector<T> product = on.communicator().together([&] { return A.make_vector(); });
  on.multiply(A, ones, product);
  const std::vector<T> sums = natural_elements(on, A, product);
  RowSum largest;
  for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows()); ++row) {
    const int e = A.matrix().magnitudes().of_row[row];
    if (e == Magnitudes::none) continue;
    const double sum = std::abs(sums[row * static_cast<std::size_t>(A.columns())]);
    const double ratio = std::ldexp(sum, A.exponent() - e);
    if (ratio > largest.ratio_here) largest = {0, row, ratio, std::ldexp(sum, A.exponent())};
  }
  largest.ratio = on.communicator().max(largest.ratio_here);
  return largest;
}

SPMV_INSTANTIATE_CLASS(ConstantProjection);
SPMV_INSTANTIATE(largest_row_sum);

}  // namespace spmv
