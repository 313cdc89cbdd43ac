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
  std::memcpy(static_cast<void*>(elements.data()), all.data() + 1 + result.values.size(),
              elements.size() * sizeof(E));
  return result;
}

template HermitianEigen<double> hermitian_eigen(const Communicator&, const Dense<double>&,
                                                const Dense<double>&);
template HermitianEigen<std::complex<double>> hermitian_eigen(const Communicator&,
                                                              const Dense<std::complex<double>>&,
                                                              const Dense<std::complex<double>>&);
}  // namespace spmv
