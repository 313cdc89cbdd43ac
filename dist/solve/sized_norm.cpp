#include "dist/solve/sized_norm.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_finite.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

/// Of a vector times 2^-exponent. Collective.
template <class T>
double norm_of_scaled(Workspace<T>& on, const VectorRef<T>& v, int exponent) {
  Combination<T> c;
  const VectorRef<T> scaled = c.scratch();
  on.run(c.set(scaled, std::ldexp(1.0, -exponent) * v).sum(0, scaled, scaled));
  on.add_up();
  return std::sqrt(real_part(on.read(0)));
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
      where = fmt::format(": row {} is {} (counted from 1)", (*row_ids)[at] + 1, value_text(elements[at]));
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
SizedNorm sized_norm(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const std::string& name,
                     const std::vector<gidx>* row_ids) {
  const auto beyond = [](double size) { return beyond_safe<T>(std::ilogb(size) + 1); };
  const double norm = on.norm(v);
  if (std::isfinite(norm) && norm > 0 && beyond(norm) == 0) return for_normalised<T>({norm, 0}, A.exponent());
  const std::vector<T> elements = natural_elements(on, A, v);
  require_finite_elements(on, elements, name, row_ids);
  double largest = 0;
  for (const T& value : elements)
    largest = std::max({largest, std::abs(double{std::real(value)}), std::abs(double{std::imag(value)})});
  largest = on.communicator().max(largest);
  if (largest == 0) return {};
  const int exponent = beyond(largest);
  return for_normalised<T>({exponent == 0 ? norm : norm_of_scaled(on, v, exponent), exponent}, A.exponent());
}

SPMV_INSTANTIATE(require_finite);
SPMV_INSTANTIATE(sized_norm);

}  // namespace spmv
