#include "dist/spectrum/spectral_range.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/ends_of_spectrum.hpp"

namespace spmv {
namespace {

constexpr int few_steps = 40;
constexpr double margin = 0.01;  // of the width, on both sides

Bounds stretched(const Bounds& bounds, double low_by, double high_by) {
  double least = margin * (bounds.high - bounds.low);
  if (!(least > 0)) least = margin * std::max(std::abs(bounds.low), 1.0);  // all eigenvalues are equal
  return {bounds.low - std::max(low_by, least), bounds.high + std::max(high_by, least)};
}

template <class T>
SpectralRange estimate_range(Workspace<T>& on, int steps) {
  const EndsOfSpectrum ends = estimate_ends(on, steps);
  const Bounds bounds =
      stretched({ends.lowest.value, ends.highest.value}, ends.lowest.residual, ends.highest.residual);
  if (!std::isfinite(bounds.low) || !std::isfinite(bounds.high))
    throw AgreedError(
        ExitCode::input,
        "the ends of the spectrum could not be estimated: the matrix has a value that is not finite, or products "
        "are beyond the value type");
  return {bounds, "estimated", ends.products};
}

}  // namespace

std::string to_text(const Bounds& bounds) {
  return fmt::format("[{:.6g}, {:.6g}]", bounds.low, bounds.high);
}

template <class T>
SpectralRange find_range(Workspace<T>& on, const std::optional<Bounds>& given) {
  if (!given) return estimate_range(on, few_steps);
  if (!(given->low < given->high) || !std::isfinite(given->low) || !std::isfinite(given->high))
    throw AgreedError(ExitCode::usage,
                      fmt::format("the bounds of the spectrum are {}: the first must be below the second",
                                  to_text(*given)));
  return {*given, "given", 0};
}

template <class T>
SpectralRange widen_range(Workspace<T>& on, const SpectralRange& narrow) {
  SpectralRange wide = estimate_range(on, 2 * few_steps);
  wide.bounds.low = std::min(wide.bounds.low, narrow.bounds.low);
  wide.bounds.high = std::max(wide.bounds.high, narrow.bounds.high);
  constexpr double more = 5;  // times the margin of the first estimate
  const double by = more * margin * (wide.bounds.high - wide.bounds.low);
  wide.bounds = stretched(wide.bounds, by, by);
  wide.from = fmt::format("widened from {}, which was too narrow", to_text(narrow.bounds));
  wide.products += narrow.products;
  return wide;
}

SPMV_INSTANTIATE(find_range);
SPMV_INSTANTIATE(widen_range);

}  // namespace spmv
