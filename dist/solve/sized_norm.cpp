#include "dist/solve/sized_norm.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_finite.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

/// Of each column times 2^-exponent. Collective.
template <class T>
std::vector<double> norms_of_scaled(Workspace<T>& on, const VectorRef<T>& v,
                                    const std::vector<int>& exponents) {
  constexpr int factor = most_slots - 1;
  std::vector<double> factors, norms;
  for (const int exponent : exponents) factors.push_back(std::ldexp(1.0, -exponent));
  on.write(factor, factors);
  Combination<T> c;
  const VectorRef<T> scaled = c.scratch();
  on.run(c.set(scaled, slot(factor) * v).sum(0, scaled, scaled));
  on.add_up();
  for (int column = 0; column < on.columns(); ++column)
    norms.push_back(std::sqrt(real_part(on.read(0, column))));
  return norms;
}

/// Collective; throws AgreedError.
template <class T>
void require_finite_elements(Workspace<T>& on, const std::vector<T>& elements, const std::string& name,
                             const std::vector<gidx>* row_ids) {
  on.communicator().together([&] {
    const std::size_t at = first_not_finite(elements);
    if (at == elements.size()) return;
    std::string where;
    if (row_ids != nullptr)
      where =
          fmt::format(": row {} is {} (counted from 1)",
                      (*row_ids)[at / static_cast<std::size_t>(on.columns())] + 1, value_text(elements[at]));
    throw Error(ExitCode::input, fmt::format("{} has a value that is not finite{}", name, where));
  });
}

/// With the exponent for a matrix that is normalised by 2^-k: kernels still multiply by the matrix as given, so that vectors
/// have to be about 2^(-k / 2) large. Then neither they nor products with that matrix are beyond the type. Pure.
template <class T>
SizedNorm for_normalised(SizedNorm v, int k) {
  if (k == 0) return v;
  constexpr int most = sizeof(RealOf<T>) == sizeof(float) ? 63 : 100, beyond = 1000;
  const int exponent = v.exponent + std::ilogb(v.norm) + std::clamp(k / 2, -most, most);
  const int within = std::clamp(exponent, -beyond, beyond);
  return {std::ldexp(v.norm, v.exponent - within), within};
}

}  // namespace

template <class T>
void require_finite(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const std::string& name,
                    const std::vector<gidx>* row_ids) {
  require_finite_elements(on, natural_elements(on, A, v), name, row_ids);
}

template <class T>
std::vector<SizedNorm> sized_norms(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v,
                                   const std::string& name, const std::vector<gidx>* row_ids) {
  const auto beyond = [](double size) { return beyond_safe<T>(std::ilogb(size) + 1); };
  std::vector<double> norms = on.norms(v);
  const auto is_safe = [&](double norm) { return std::isfinite(norm) && norm > 0 && beyond(norm) == 0; };
  std::vector<int> exponents(norms.size(), 0);
  if (!std::all_of(norms.begin(), norms.end(), is_safe)) {
    const std::vector<T> elements = natural_elements(on, A, v);
    require_finite_elements(on, elements, name, row_ids);
    std::vector<double> largest(norms.size(), 0.0);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      double& of_column = largest[i % norms.size()];
      const T& value = elements[i];
      of_column =
          std::max({of_column, std::abs(double{std::real(value)}), std::abs(double{std::imag(value)})});
    }
    largest = on.communicator().max(largest);
    for (std::size_t j = 0; j < norms.size(); ++j) exponents[j] = largest[j] == 0 ? 0 : beyond(largest[j]);
    norms = norms_of_scaled(on, v, exponents);
  }
  std::vector<SizedNorm> sized;
  for (std::size_t j = 0; j < norms.size(); ++j)
    sized.push_back(norms[j] == 0 ? SizedNorm{} : for_normalised<T>({norms[j], exponents[j]}, A.exponent()));
  return sized;
}

SPMV_INSTANTIATE(require_finite);
SPMV_INSTANTIATE(sized_norms);

}  // namespace spmv
