#include "dist/spectrum/dense.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

std::vector<double> broadcast(const Communicator& communicator, std::vector<double> all) {
  return communicator.broadcast(std::move(all));
}
std::vector<std::complex<double>> broadcast(const Communicator& communicator,
                                            const std::vector<std::complex<double>>& all) {
  const auto* const numbers = reinterpret_cast<const double*>(all.data());
  const std::vector<double> same =
      communicator.broadcast(std::vector<double>(numbers, numbers + 2 * all.size()));
  const auto* const elements = reinterpret_cast<const std::complex<double>*>(same.data());
  return {elements, elements + all.size()};
}

}  // namespace

template <class E>
HermitianEigen<E> hermitian_eigen(const Communicator& communicator, const Dense<E>& H, const Dense<E>& G) {
  HermitianEigen<E> result{std::vector<double>(static_cast<std::size_t>(H.rows())), H};
  if (H.rows() == 0) return result;
  communicator.together([&] {
    if (communicator.rank() != 0) return;
    for (const E& element : H.elements())
      if (!std::isfinite(std::abs(element)))
        throw Error(ExitCode::internal, "eigenvalues of a small matrix with values that are not finite");
    Dense<E> factor = G;
    lapack::Int info = 0;
    solve(result.vectors, factor, result.values, info);
    lapack::check(info, "dsygv or zhegv");
  });
  result.values = broadcast(communicator, std::move(result.values));
  result.vectors.elements() = broadcast(communicator, result.vectors.elements());
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
