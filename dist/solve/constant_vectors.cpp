#include "dist/solve/constant_vectors.hpp"

#include <cmath>
#include <complex>

#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Collective.
template <class T>
Buffer<T> vector_of_ones(Workspace<T>& on) {
  return on.communicator().together([&] {
    Buffer<T> ones = on.make_vector();
    const std::vector<T> values(static_cast<std::size_t>(on.rows()), T(1));
    if (!values.empty()) on.matrix().backend()->upload(ones.data(), values.data(), values.size() * sizeof(T));
    return ones;
  });
}

}  // namespace

template <class T>
ConstantProjection<T>::ConstantProjection(Workspace<T>& on) : on_(on), ones_(vector_of_ones(on)) {
  one_over_rows_ = 1 / static_cast<double>(on.communicator().sum(gidx{on.rows()}));
}

template <class T>
void ConstantProjection<T>::apply(T* v) {
  Combination<T> sum(on_.rows());
  const auto all = sum.vector(v), each = sum.vector(ones_.data());
  sum.sum(0, each, all);
  on_.combine(sum);
  on_.add_up();
  Combination<T> c(on_.rows());
  const auto mean = c.formula.slot(0) * c.formula.constant(one_over_rows_);
  const auto one = c.vector(ones_.data()), vector = c.vector(v);
  c.set(vector, vector - mean * one);
  on_.combine(c);
}

template <class T>
RowSum largest_row_sum(Workspace<T>& on) {
  Buffer<T> ones = vector_of_ones(on), product = on.communicator().together([&] { return on.make_vector(); });
  on.multiply(ones.data(), product.data());
  std::vector<T> sums(static_cast<std::size_t>(on.rows()));
  on.matrix().compute_queue().synchronize();
  download(*on.matrix().backend(), sums.data(), product.data(), sums.size());
  sums = on.matrix().from_basis(sums);
  RowSum largest;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const int e = on.matrix().magnitudes().of_row[row];
    if (e == Magnitudes::none) continue;
    const double part = std::ldexp(static_cast<double>(std::abs(sums[row])), on.exponent() - e);
    if (part > largest.part_here) largest = {0, row, part};
  }
  largest.part = on.communicator().max(largest.part_here);
  return largest;
}

SPMV_INSTANTIATE_CLASS(ConstantProjection);
SPMV_INSTANTIATE(largest_row_sum);

}  // namespace spmv
