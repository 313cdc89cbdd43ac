#include "dist/spectrum/eigen_result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/value_types.hpp"

namespace spmv {

const char* to_string(Which which) {
  return which == Which::lowest ? "lowest" : "highest";
}

void require_possible(int count, gidx rows) {
  if (count < 1 || count > rows)
    throw AgreedError(ExitCode::usage,
                      fmt::format("{} eigenvalues are wanted of a matrix with {} rows: ask for 1 to {}",
                                  count, rows, rows));
}

unsigned first_random(unsigned start_seed) {
  constexpr unsigned others = 3, of_a_seed = 1U << 16U;
  return others + (start_seed - 1) * of_a_seed;
}

template <class T>
Judged judge(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const VectorRef<T>& product) {
  constexpr int vw = 0, ww = 1, vv = 2, rr = 3;
  on.multiply(A, v, product, {vw, ww});
  on.run(Combination<T>().sum(vv, v, v));
  on.add_up();
  const VectorRef<T>& residual = product;
  const Number value = slot(vw) / slot(vv), scale = 1 / root(slot(vv));
  Combination<T> c;
  c.record(0, value).set(v, scale * v).set(residual, scale * residual - value * v);
  const std::uint64_t line = on.run(c.sum(rr, residual, residual));
  on.add_up();
  Judged judged;
  for (int j = 0; j < on.columns(); ++j) {
    judged.values.push_back(on.line(line, j)[0]);
    judged.residuals.push_back(std::sqrt(real_part(on.read(rr, j))));
  }
  return judged;
}

template <class T>
std::string why_it_stopped(const EigenResult<T>& result, const EigenOptions& options, bool copies) {
  const auto residual = [&] {
    const double worst = *std::max_element(result.residuals.begin(), result.residuals.end());
    return result.norm > 0 ? worst / result.norm : worst;
  };
  const char* const caveat = copies ? ", and copies may be missing" : "";
  switch (result.stop) {
    case Stop::iterations:
      return fmt::format(
          "{} restarts were not enough: the largest residual is {:.2e} |A|, the tolerance {:.2e}{}: allow "
          "more restarts or a larger subspace",
          result.restarts, residual(), options.tolerance, caveat);
    case Stop::stagnated:
      return fmt::format(
          "the largest residual stays at {:.2e} |A|: the tolerance {:.2e} is out of reach in this precision",
          residual(), options.tolerance);
    case Stop::not_finite:
      return fmt::format(
          "a value that is not finite came up within {} products: the matrix has one, or its values are too large "
          "for the value type",
          result.products);
    case Stop::asked:
      return fmt::format("stopped on request after {} products: the largest residual is {:.2e} |A|{}",
                         result.products, residual(), caveat);
    default:
      return {};
  }
}

template <class T>
EigenResult<T> in_units_of_matrix(EigenResult<T> result, int exponent) {
  const auto of_matrix = [&](double& number) { number = std::ldexp(number, exponent); };
  std::for_each(result.values.begin(), result.values.end(), of_matrix);
  std::for_each(result.residuals.begin(), result.residuals.end(), of_matrix);
  of_matrix(result.norm);
  return result;
}

SPMV_INSTANTIATE(judge);
SPMV_INSTANTIATE(why_it_stopped);
SPMV_INSTANTIATE(in_units_of_matrix);

}  // namespace spmv
