// Eigenvalues of small dense matrices: an independent check of generated Hamiltonians.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace spmv::test {

struct Dense {
  explicit Dense(int size) : n(size), a(static_cast<std::size_t>(size) * size, 0.0) {}
  double& operator()(int i, int j) { return a[static_cast<std::size_t>(i) * n + j]; }
  double operator()(int i, int j) const { return a[static_cast<std::size_t>(i) * n + j]; }

  int n;
  std::vector<double> a;  // by rows
};

inline Dense identity(int n) {
  Dense result(n);
  for (int i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

inline Dense transpose(const Dense& m) {
  Dense result(m.n);
  for (int i = 0; i < m.n; ++i) {
    for (int j = 0; j < m.n; ++j) result(j, i) = m(i, j);
  }
  return result;
}

inline Dense product(const Dense& x, const Dense& y) {
  Dense result(x.n);
  for (int i = 0; i < x.n; ++i) {
    for (int k = 0; k < x.n; ++k) {
      if (x(i, k) == 0) continue;
      for (int j = 0; j < x.n; ++j) result(i, j) += x(i, k) * y(k, j);
    }
  }
  return result;
}

/// Kronecker product; the index of x varies slowest.
inline Dense kron(const Dense& x, const Dense& y) {
  Dense result(x.n * y.n);
  for (int i = 0; i < x.n; ++i) {
    for (int j = 0; j < x.n; ++j) {
      if (x(i, j) == 0) continue;
      for (int k = 0; k < y.n; ++k) {
        for (int l = 0; l < y.n; ++l) result(i * y.n + k, j * y.n + l) = x(i, j) * y(k, l);
      }
    }
  }
  return result;
}

/// x += factor * y
inline void add(Dense& x, double factor, const Dense& y) {
  for (std::size_t i = 0; i < x.a.size(); ++i) x.a[i] += factor * y.a[i];
}

/// The rows and columns in `kept`, in that order.
inline Dense restrict_to(const Dense& m, const std::vector<int>& kept) {
  Dense result(static_cast<int>(kept.size()));
  for (int i = 0; i < result.n; ++i) {
    for (int j = 0; j < result.n; ++j) result(i, j) = m(kept[i], kept[j]);
  }
  return result;
}

/// Householder reduction of a symmetric matrix: diagonal d[0 .. n-1], off-diagonal e[1 .. n-1], e[0] = 0.
inline void tridiagonalise(Dense m, std::vector<double>& d, std::vector<double>& e) {
  const int n = m.n;
  e.assign(n, 0.0);
  std::vector<double> v(n), p(n);
  for (int k = 0; k + 1 < n; ++k) {
    double norm = 0;
    for (int i = k + 1; i < n; ++i) norm += m(i, k) * m(i, k);
    norm = std::sqrt(norm);
    e[k + 1] = m(k + 1, k) > 0 ? -norm : norm;
    for (int i = k + 1; i < n; ++i) v[i] = m(i, k);
    v[k + 1] -= e[k + 1];
    double vv = 0;
    for (int i = k + 1; i < n; ++i) vv += v[i] * v[i];
    if (vv == 0) continue;
    double vp = 0;
    for (int i = k + 1; i < n; ++i) {
      p[i] = 0;
      for (int j = k + 1; j < n; ++j) p[i] += m(i, j) * v[j];
      p[i] *= 2 / vv;
      vp += v[i] * p[i];
    }
    for (int i = k + 1; i < n; ++i) p[i] -= vp / vv * v[i];
    for (int i = k + 1; i < n; ++i) {
      for (int j = k + 1; j < n; ++j) m(i, j) -= v[i] * p[j] + p[i] * v[j];
    }
  }
  d.resize(n);
  for (int i = 0; i < n; ++i) d[i] = m(i, i);
}

/// The `count` lowest eigenvalues of a symmetric matrix, ascending; bisection on Sturm counts.
inline std::vector<double> lowest_eigenvalues(const Dense& m, int count) {
  std::vector<double> d, e;
  tridiagonalise(m, d, e);
  double bound = 0;
  for (int i = 0; i < m.n; ++i) {
    bound = std::max(bound, std::abs(d[i]) + std::abs(e[i]) + (i + 1 < m.n ? std::abs(e[i + 1]) : 0));
  }
  const auto eigenvalues_below = [&](double x) {
    int below = 0;
    double pivot = 1;
    for (int i = 0; i < m.n; ++i) {
      pivot = d[i] - x - e[i] * e[i] / pivot;
      if (pivot == 0) pivot = 1e-300;
      if (pivot < 0) ++below;
    }
    return below;
  };
  std::vector<double> result;
  for (int k = 0; k < count; ++k) {
    double low = -bound - 1, high = bound + 1;
    while (high - low > 1e-13 * (bound + 1)) {
      const double middle = (low + high) / 2;
      (eigenvalues_below(middle) > k ? high : low) = middle;
    }
    result.push_back((low + high) / 2);
  }
  return result;
}

}  // namespace spmv::test
