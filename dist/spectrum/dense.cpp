#include "dist/spectrum/dense.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "dist/solve/lapack.hpp"

namespace spmv {
namespace {

constexpr lapack::Int usual = 1;  // A x = lambda B x
constexpr std::size_t columns_at_once = 32;

void solve(Dense<double>& H, Dense<double>& G, std::vector<double>& values, lapack::Int& info) {
  const lapack::Int n = H.rows();
  std::vector<double> work((columns_at_once + 2) * values.size());
  const auto size = static_cast<lapack::Int>(work.size());
  lapack::dsygv_(&usual, "V", "U", &n, H.elements().data(), &n, G.elements().data(), &n, values.data(),
                 work.data(), &size, &info, 1, 1);
}
void solve(Dense<std::complex<double>>& H, Dense<std::complex<double>>& G, std::vector<double>& values,
           lapack::Int& info) {
  const lapack::Int n = H.rows();
  std::vector<std::complex<double>> work((columns_at_once + 1) * values.size());
  std::vector<double> more(3 * values.size());
  const auto size = static_cast<lapack::Int>(work.size());
  lapack::zhegv_(&usual, "V", "U", &n, H.elements().data(), &n, G.elements().data(), &n, values.data(),
                 work.data(), &size, more.data(), &info, 1, 1);
}

template <class E>
bool is_finite(const Dense<E>& matrix) {
  const auto& elements = matrix.elements();
  return std::all_of(elements.begin(), elements.end(), [](E each) { return std::isfinite(std::abs(each)); });
}

}  // namespace

template <class E>
HermitianEigen<E> hermitian_eigen(const Communicator& communicator, const Dense<E>& H, const Dense<E>& G) {
  HermitianEigen<E> result{std::vector<double>(static_cast<std::size_t>(H.rows())), H};
  if (H.rows() == 0) return result;
  std::vector<E>& elements = result.vectors.elements();
  std::vector<double> all(1 + result.values.size() + elements.size() * sizeof(E) / sizeof(double));
  double* const vectors = all.data() + 1 + result.values.size();
  if (communicator.rank() == 0) {
    lapack::Int info = 0;
    Dense<E> factor = G;
    const bool finite = is_finite(H) && is_finite(G);
    if (finite) solve(result.vectors, factor, result.values, info);
    all[0] = finite ? static_cast<double>(info) : -1;
    std::copy(result.values.begin(), result.values.end(), all.begin() + 1);
    std::memcpy(vectors, elements.data(), elements.size() * sizeof(E));
  }
  all = communicator.broadcast(std::move(all));
  if (all[0] != 0)
    throw AgreedError(
        ExitCode::internal,
        fmt::format("eigenvalues of a small matrix: dsygv or zhegv of LAPACK failed, info is {}; "
                    "-1: a value is not finite",
                    all[0]));
  std::copy_n(all.begin() + 1, result.values.size(), result.values.begin());
  std::memcpy(elements.data(), all.data() + 1 + result.values.size(), elements.size() * sizeof(E));
  return result;
}

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

template HermitianEigen<double> hermitian_eigen(const Communicator&, const Dense<double>&,
                                                const Dense<double>&);
template HermitianEigen<std::complex<double>> hermitian_eigen(const Communicator&,
                                                              const Dense<std::complex<double>>&,
                                                              const Dense<std::complex<double>>&);
template Orthonormaliser<double> orthonormaliser(const Communicator&, const Dense<double>&, double, double);
template Orthonormaliser<std::complex<double>> orthonormaliser(const Communicator&,
                                                               const Dense<std::complex<double>>&, double,
                                                               double);

}  // namespace spmv
