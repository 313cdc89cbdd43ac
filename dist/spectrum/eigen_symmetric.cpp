#include "dist/spectrum/eigen_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spmv {
namespace {

/// Q^T T Q with T tridiagonal: what remains of a matrix on its way to a diagonal one.
struct Reduced {
  std::vector<double> diagonal;
  std::vector<double> off;  // off[i] stands beside diagonal[i] and diagonal[i + 1]
  SmallMatrix q;
};

/// a -= v w^T + w v^T, from row and column `first` on.
void subtract_outer(SmallMatrix& a, const std::vector<double>& v, const std::vector<double>& w, int first) {
  for (int i = first; i < a.rows(); ++i)
    for (int j = first; j < a.rows(); ++j)
      a(i, j) -= v[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(j)] +
                 w[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)];
}

/// (1 - 2 v v^T / |v|^2) q
void reflect_rows(SmallMatrix& q, const std::vector<double>& v, double norm_squared) {
  for (int j = 0; j < q.rows(); ++j) {
    double overlap = 0;
    for (int i = 0; i < q.rows(); ++i) overlap += v[static_cast<std::size_t>(i)] * q(i, j);
    for (int i = 0; i < q.rows(); ++i) q(i, j) -= 2 / norm_squared * overlap * v[static_cast<std::size_t>(i)];
  }
}

/// Reflects `a` so that column k has nothing below the element under the diagonal; returns that element.
double reflect(SmallMatrix& a, SmallMatrix& q, int k) {
  const int n = a.rows();
  std::vector<double> v(static_cast<std::size_t>(n)), p(static_cast<std::size_t>(n));
  double below = 0;
  for (int i = k + 1; i < n; ++i) {
    v[static_cast<std::size_t>(i)] = a(i, k);
    if (i > k + 1) below += a(i, k) * a(i, k);
  }
  double& head = v[static_cast<std::size_t>(k) + 1];
  if (below == 0) return head;
  const double result = -std::copysign(std::sqrt(head * head + below), head);
  head -= result;
  const double norm_squared = head * head + below;
  double pv = 0;
  for (int i = k + 1; i < n; ++i) {
    double& element = p[static_cast<std::size_t>(i)];
    for (int j = k + 1; j < n; ++j) element += 2 / norm_squared * a(i, j) * v[static_cast<std::size_t>(j)];
    pv += element * v[static_cast<std::size_t>(i)];
  }
  for (std::size_t i = 0; i < p.size(); ++i) p[i] -= pv / norm_squared * v[i];
  subtract_outer(a, v, p, k + 1);
  reflect_rows(q, v, norm_squared);
  return result;
}

/// By Householder reflections [Golub & Van Loan 2013, alg. 8.3.1].
Reduced tridiagonal(SmallMatrix a) {
  const int n = a.rows();
  Reduced result{{}, {}, SmallMatrix(n)};
  for (int i = 0; i < n; ++i) result.q(i, i) = 1;
  for (int k = 0; k + 1 < n; ++k) result.off.push_back(reflect(a, result.q, k));
  for (int i = 0; i < n; ++i) result.diagonal.push_back(a(i, i));
  return result;
}

void rotate_rows(SmallMatrix& q, int k, double c, double s) {
  for (int j = 0; j < q.rows(); ++j) {
    const double upper = q(k, j), lower = q(k + 1, j);
    q(k, j) = c * upper + s * lower;
    q(k + 1, j) = c * lower - s * upper;
  }
}

/// An implicit QR step with Wilkinson's shift on rows `low` to `high` [Golub & Van Loan 2013, alg. 8.3.2].
void qr_step(Reduced& m, int low, int high) {
  double* const d = m.diagonal.data();
  double* const e = m.off.data();
  const double half = (d[high - 1] - d[high]) / 2, beside = e[high - 1];
  const double shift = d[high] - beside * beside / (half + std::copysign(std::hypot(half, beside), half));
  double x = d[low] - shift, z = e[low];
  for (int k = low; k < high; ++k) {
    const double r = std::hypot(x, z), c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : z / r;
    if (k > low) e[k - 1] = r;
    const double upper = d[k], lower = d[k + 1], off = e[k];
    d[k] = c * c * upper + 2 * c * s * off + s * s * lower;
    d[k + 1] = s * s * upper - 2 * c * s * off + c * c * lower;
    e[k] = x = c * s * (lower - upper) + (c * c - s * s) * off;
    if (k + 1 < high) {
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
    rotate_rows(m.q, k, c, s);
  }
}

/// Until T is diagonal.
void diagonalise(Reduced& m) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const auto coupled = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return std::abs(m.off[at]) > eps * (std::abs(m.diagonal[at]) + std::abs(m.diagonal[at + 1]));
  };
  const int n = m.q.rows();
  int left = 50 * n;  // convergence is cubic: two or three steps for a row
  for (int high = n - 1; high > 0 && left > 0;) {
    int low = high;
    while (low > 0 && coupled(low - 1)) --low;
    if (low == high) {
      --high;
      continue;
    }
    qr_step(m, low, high);
    --left;
  }
}

SymmetricEigen sorted(const Reduced& m) {
  const int n = m.q.rows();
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](int i) { return m.diagonal[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) < value(b); });
  SymmetricEigen result{{}, SmallMatrix(n)};
  for (int k = 0; k < n; ++k) {
    const int from = order[static_cast<std::size_t>(k)];
    result.values.push_back(value(from));
    for (int i = 0; i < n; ++i) result.vectors(i, k) = m.q(from, i);
  }
  return result;
}

}  // namespace

SymmetricEigen eigen_symmetric(const SmallMatrix& matrix) {
  Reduced reduced = tridiagonal(matrix);
  diagonalise(reduced);
  return sorted(reduced);
}

}  // namespace spmv
