#include "dist/solve/dense_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dist/solve/lapack.hpp"

namespace spmv {
namespace {

void solve(lapack::Int n, double* a, lapack::Int* pivots, double* b, lapack::Int& info) {
  lapack::dgesv_(&n, &n, a, &n, pivots, b, &n, &info);
}
void solve(lapack::Int n, std::complex<double>* a, lapack::Int* pivots, std::complex<double>* b,
           lapack::Int& info) {
  lapack::zgesv_(&n, &n, a, &n, pivots, b, &n, &info);
}

template <class W>
bool invert(std::vector<W>& matrix, std::size_t n) {
  double largest = 0;
  for (const W& element : matrix) largest = std::max(largest, std::abs(element));
  const double least = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest;
  std::vector<W> inverse(n * n, W(0));
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = W(1);
  std::vector<lapack::Int> pivots(n);
  lapack::Int info = 0;
  // By columns, both are transposed: the inverse of the one is still the other.
  solve(static_cast<lapack::Int>(n), matrix.data(), pivots.data(), inverse.data(), info);
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::abs(matrix[i * n + i]) > least)) return false;
  matrix = std::move(inverse);
  return info == 0 && std::all_of(matrix.begin(), matrix.end(),
                                  [](const W& element) { return std::isfinite(std::abs(element)); });
}

}  // namespace

bool invert_dense(std::vector<double>& matrix, std::size_t n) {
  return invert(matrix, n);
}
bool invert_dense(std::vector<std::complex<double>>& matrix, std::size_t n) {
  return invert(matrix, n);
}

}  // namespace spmv
