#include "dist/spectrum/eigen_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spmv {
namespace {

double sum_of_squares(const SmallMatrix& a, bool with_diagonal) {
  double sum = 0;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.rows(); ++j)
      if (with_diagonal || i != j) sum += a(i, j) * a(i, j);
  return sum;
}

struct Rotation {
  double cosine, sine;
};

/// The rotation of rows and columns p and q that makes a(p, q) zero. Pure.
Rotation annihilating(const SmallMatrix& a, int p, int q) {
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double tangent = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1)), theta);
  const double cosine = 1 / std::hypot(tangent, 1);
  return {cosine, tangent * cosine};
}

void rotate_columns(SmallMatrix& a, int p, int q, Rotation r) {
  for (int i = 0; i < a.rows(); ++i) {
    const double left = a(i, p), right = a(i, q);
    a(i, p) = r.cosine * left - r.sine * right;
    a(i, q) = r.sine * left + r.cosine * right;
  }
}
void rotate_rows(SmallMatrix& a, int p, int q, Rotation r) {
  for (int j = 0; j < a.rows(); ++j) {
    const double upper = a(p, j), lower = a(q, j);
    a(p, j) = r.cosine * upper - r.sine * lower;
    a(q, j) = r.sine * upper + r.cosine * lower;
  }
}

/// Ascending.
SymmetricEigen sorted(const SmallMatrix& diagonal, const SmallMatrix& vectors) {
  const int n = diagonal.rows();
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return diagonal(a, a) < diagonal(b, b); });
  SymmetricEigen result{{}, SmallMatrix(n)};
  for (int k = 0; k < n; ++k) {
    const int from = order[static_cast<std::size_t>(k)];
    result.values.push_back(diagonal(from, from));
    for (int i = 0; i < n; ++i) result.vectors(i, k) = vectors(i, from);
  }
  return result;
}

}  // namespace

SymmetricEigen eigen_symmetric(const SmallMatrix& matrix) {
  SmallMatrix a = matrix, vectors(a.rows());
  for (int i = 0; i < a.rows(); ++i) vectors(i, i) = 1;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double small = eps * eps * sum_of_squares(a, true);
  constexpr int most_sweeps = 30;  // convergence is quadratic: far fewer are needed
  for (int sweep = 0; sweep < most_sweeps && sum_of_squares(a, false) > small; ++sweep)
    for (int p = 0; p < a.rows(); ++p)
      for (int q = p + 1; q < a.rows(); ++q) {
        if (a(p, q) == 0) continue;
        const Rotation r = annihilating(a, p, q);
        rotate_columns(a, p, q, r);
        rotate_rows(a, p, q, r);
        rotate_columns(vectors, p, q, r);
      }
  return sorted(a, vectors);
}

}  // namespace spmv
