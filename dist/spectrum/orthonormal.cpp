#include "dist/spectrum/orthonormal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spmv {

template <class E>
Orthonormaliser<E> orthonormaliser(const Communicator& communicator, const Dense<E>& G, double floor,
                                   double rounding) {
  const int k = G.rows();
  std::vector<int> kept;
  for (int i = 0; i < k; ++i)
    if (std::real(G(i, i)) > floor) kept.push_back(i);
  const int n = static_cast<int>(kept.size());
  const auto scale = [&](int i) { return 1 / std::sqrt(std::real(G(kept[i], kept[i]))); };
  Dense<E> scaled(n, n), one(n, n);
  for (int j = 0; j < n; ++j) {
    one(j, j) = 1;
    for (int i = 0; i < n; ++i) scaled(i, j) = G(kept[i], kept[j]) * scale(i) * scale(j);
  }
  const HermitianEigen<E> eigen = hermitian_eigen(communicator, scaled, one);
  constexpr double of_double = 1e-13;
  Orthonormaliser<E> result{Dense<E>(k, k)};
  for (int j = n - 1; j >= 0; --j) {
    const double value = eigen.values[static_cast<std::size_t>(j)];
    if (!(value > std::max(rounding, of_double * k))) break;
    for (int i = 0; i < n; ++i)
      result.S(kept[i], result.directions) = eigen.vectors(i, j) * (scale(i) / std::sqrt(value));
    ++result.directions;
  }
  return result;
}

template <class E>
Orthonormaliser<E> OrthonormalPasses<E>::next(const Dense<E>& left, const Dense<E>& squares) {
  constexpr double cancels = 1e-2, noise = 1e-2;
  const int k = squares.columns();
  Orthonormaliser<E> scales{Dense<E>(k, k)};
  bool only_scales = false;
  for (int j = 0; j < k; ++j) {
    const double square = std::real(squares(j, j));
    if (!(square > floor_)) continue;
    scales.S(j, j) = 1 / std::sqrt(square);
    scales.directions = k;
    only_scales = only_scales || std::real(left(j, j)) < cancels * square;
  }
  if (!only_scales) return orthonormaliser(communicator_, left, std::exchange(floor_, noise), small_);
  floor_ = small_;
  return scales;
}

template <class E>
bool is_orthonormal(const Dense<E>& overlaps, int columns, double enough) {
  const int before = overlaps.rows() - overlaps.columns();
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < before + columns; ++i)
      if (!(std::abs(overlaps(i, j) - (i == before + j ? 1.0 : 0.0)) <= enough)) return false;
  return true;
}

template Orthonormaliser<double> orthonormaliser(const Communicator&, const Dense<double>&, double, double);
template Orthonormaliser<std::complex<double>> orthonormaliser(const Communicator&,
                                                               const Dense<std::complex<double>>&, double,
                                                               double);

template class OrthonormalPasses<double>;
template class OrthonormalPasses<std::complex<double>>;
template bool is_orthonormal(const Dense<double>&, int, double);
template bool is_orthonormal(const Dense<std::complex<double>>&, int, double);

}  // namespace spmv
