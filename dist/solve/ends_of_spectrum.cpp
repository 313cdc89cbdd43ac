#include "dist/solve/ends_of_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "core/value_types.hpp"
#include "dist/solve/random_vector.hpp"

namespace spmv {
namespace {

/// A symmetric tridiagonal matrix: off[i] stands beside diagonal[i] and diagonal[i + 1].
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> off;
};

/// Whether all eigenvalues are below `bound`: the pivots of bound - matrix are positive. Pure.
bool all_below(const Tridiagonal& matrix, double bound) {
  double pivot = 1;
  for (std::size_t i = 0; i < matrix.diagonal.size(); ++i) {
    const double beside = i == 0 ? 0 : matrix.off[i - 1];
    pivot = bound - matrix.diagonal[i] - beside * beside / pivot;
    if (!(pivot > 0)) return false;
  }
  return true;
}

/// By bisection between the bounds of Gershgorin. Pure.
double largest_eigenvalue(const Tridiagonal& matrix) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < matrix.diagonal.size(); ++i) {
    const double left = i == 0 ? 0 : matrix.off[i - 1];
    const double right = i + 1 == matrix.diagonal.size() ? 0 : matrix.off[i];
    low = std::min(low, matrix.diagonal[i] - left - right);
    high = std::max(high, matrix.diagonal[i] + left + right);
  }
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    (all_below(matrix, middle) ? high : low) = middle;
  }
  return high;
}

/// beta times the last component of the eigenvector of `largest`, the largest eigenvalue: how far the matrix that Lanczos took
/// from is from having the same eigenvalue. Pure.
double residual_of(const Tridiagonal& matrix, double largest, double beta) {
  // From the end to the begin, where the components of this eigenvector grow.
  double norm = 1,
         pivot =
             std::numeric_limits<double>::infinity();  // norm: of what is behind i, squared, over that of i
  std::vector<double> step;                            // component i - 1 over component i
  for (std::size_t i = matrix.diagonal.size(); i-- > 1;) {
    const double beside = i + 1 == matrix.diagonal.size() ? 0 : matrix.off[i];
    pivot = largest - matrix.diagonal[i] - beside * beside / pivot;
    step.push_back(pivot / matrix.off[i - 1]);
  }
  for (auto of_last = step.rbegin(); of_last != step.rend(); ++of_last) norm = 1 + *of_last * *of_last * norm;
  return beta / std::sqrt(norm);
}

EndOfSpectrum end_of(const Tridiagonal& matrix, double beta) {
  const double largest = largest_eigenvalue(matrix);
  return {largest, residual_of(matrix, largest, beta)};
}

void find_ends(Tridiagonal matrix, double beta, EndsOfSpectrum& ends) {
  ends.highest = end_of(matrix, beta);
  for (double& alpha : matrix.diagonal) alpha = -alpha;
  ends.lowest = end_of(matrix, beta);
  ends.lowest.value = -ends.lowest.value;
}

/// What rounding may leave of a vector that products of this size cancel.
template <class T>
double rounding_of_product(double size) {
  constexpr double some = 4;
  return some * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) * size;
}

/// v = (1 / |v|) v, and before = v of before. Returns |v|. Waits.
template <class T>
double normalise(Workspace<T>& on, T* v) {
  Combination<T> c(on.rows());
  const auto of_norm = c.vector(v);
  c.sum(0, of_norm, of_norm);
  on.combine(c);
  on.add_up();
  const double norm = std::sqrt(real_part(on.read(0)));
  if (!(norm > 0)) return norm;
  Combination<T> d(on.rows());
  const auto scaled = d.vector(v);
  d.set(scaled, d.formula.constant(1 / norm) * scaled);
  on.combine(d);
  return norm;
}

}  // namespace

template <class T>
EndsOfSpectrum estimate_ends(Workspace<T>& on, int steps, const EnoughOfSpectrum& enough) {
  Buffer<T> before, v, w;
  on.communicator().together([&] {
    before = on.make_vector();
    v = random_vector(on, 2);
    w = on.make_vector();
  });
  normalise(on, v.data());
  Tridiagonal of;
  EndsOfSpectrum ends;
  constexpr double of_all_products = 4;
  double beta = 0, rounding = 0;
  int look = steps;
  while (true) {
    on.multiply(v.data(), w.data(), {0, 1});
    ++ends.products;
    on.add_up();
    const double alpha = real_part(on.read(0));
    of.diagonal.push_back(alpha);
    Combination<T> c(on.rows());
    const auto v_before = c.vector(before.data()), v_now = c.vector(v.data()), next = c.vector(w.data());
    c.set(next, next - c.formula.constant(alpha) * v_now - c.formula.constant(beta) * v_before);
    on.combine(c);
    beta = normalise(on, w.data());
    rounding = std::max(rounding, rounding_of_product<T>(std::abs(alpha) + beta));
    const bool all_seen = !(beta > rounding);
    if (all_seen || ends.products >= look) {
      find_ends(of, beta, ends);
      ends.rounding = of_all_products * rounding;
      if (all_seen || !enough || enough(ends)) break;
      look += 1 + look / 8;
    }
    of.off.push_back(beta);
    std::swap(before, v);
    std::swap(v, w);
  }
  on.matrix().compute_queue().synchronize();  // before the vectors end
  return ends;
}

template <class T>
double bound_largest_eigenvalue(const Communicator& communicator, const DistributedRows<T>& rows) {
  double largest = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.block.rows); ++row) {
    double sum = 0;
    for (offset k = rows.block.row_ptr[row]; k < rows.block.row_ptr[row + 1]; ++k)
      sum += static_cast<double>(std::abs(rows.block.value[static_cast<std::size_t>(k)]));
    largest = std::max(largest, sum);
  }
  return communicator.max(largest);
}

SPMV_INSTANTIATE(estimate_ends);
SPMV_INSTANTIATE(bound_largest_eigenvalue);

}  // namespace spmv
