#include "dist/spectrum/spectral_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/ends_of_spectrum.hpp"

namespace spmv {
namespace {

constexpr int few_steps = 40;
constexpr double margin = 0.01;  // of the width, on both sides

/// Steps that bring the residual of an end down to `near`, at most: the denser the spectrum is there, the more it takes.
double most_steps(double width, double near) {
  return few_steps + 12 * std::sqrt(width / near);
}

bool near_enough(const EndsOfSpectrum& ends, const Nearness& near) {
  const double width = ends.highest.value - ends.lowest.value;
  const auto reached = [&](const EndOfSpectrum& end, double wanted) {
    return !(end.residual > std::max(wanted, ends.rounding)) || !(ends.products < most_steps(width, wanted));
  };
  return reached(ends.lowest, near.low) && reached(ends.highest, near.high);
}

/// By so many times the margin on both sides, but not by more than `near`.
Bounds stretched(const Bounds& bounds, double times, const Nearness& near) {
  const double by = times * margin * (bounds.high - bounds.low);
  return {bounds.low - std::min(by, near.low), bounds.high + std::min(by, near.high)};
}

/// For a spectrum that cannot be told from a single number.
template <class T>
Bounds around(double value) {
  constexpr double part = 1e-6;
  const double least = std::max(part, 64 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()));
  const double by = value == 0 ? 1 : least * std::abs(value);
  return {value - by, value + by};
}

template <class T>
SpectralRange estimate_range(Workspace<T>& on, const Operator<T>& A, int steps, const Nearness& near) {
  const EndsOfSpectrum ends =
      estimate_ends(on, A, steps, [&](const EndsOfSpectrum& so_far) { return near_enough(so_far, near); });
  const double low = ends.lowest.value, high = ends.highest.value;
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(ends.lowest.residual) ||
      !std::isfinite(ends.highest.residual))
    throw AgreedError(
        ExitCode::input,
        "the ends of the spectrum could not be estimated: the matrix has a value that is not finite, or products "
        "are beyond the value type");
  if (!(high - low > ends.rounding))
    return {around<T>(low / 2 + high / 2),
            fmt::format("estimated; no width can be seen behind rounding errors of {:.1g}",
                        std::ldexp(ends.rounding, A.exponent())),
            ends.products,
            {low, high},
            A.exponent()};
  const Bounds least = stretched({low, high}, 1, near);
  return {{std::min(least.low, low - std::max(ends.lowest.residual, ends.rounding)),
           std::max(least.high, high + std::max(ends.highest.residual, ends.rounding))},
          "estimated",
          ends.products,
          {low, high},
          A.exponent()};
}

}  // namespace

int digits_within(const Bounds& bounds, int digits) {
  const double size = std::max(std::abs(bounds.low), std::abs(bounds.high));
  const double more = std::ceil(std::log10(size / (bounds.high - bounds.low)));
  return std::isfinite(more) ? std::clamp(digits + static_cast<int>(more), digits, 17) : digits;
}

std::string to_text(const Bounds& bounds) {
  const int digits = digits_within(bounds, 6);
  return fmt::format("[{:.{}g}, {:.{}g}]", bounds.low, digits, bounds.high, digits);
}

std::string SpectralRange::text() const {
  return to_text(of_matrix().bounds);
}

template <class T>
SpectralRange find_range(Workspace<T>& on, const Operator<T>& A, const std::optional<Bounds>& given,
                         const Nearness& near) {
  if (!given) return estimate_range(on, A, few_steps, near);
  if (!(given->low < given->high) || !std::isfinite(given->low) || !std::isfinite(given->high))
    throw AgreedError(ExitCode::usage,
                      fmt::format("the bounds of the spectrum are {}: the first must be below the second",
                                  to_text(*given)));
  const int k = A.exponent();
  return {{std::ldexp(given->low, -k), std::ldexp(given->high, -k)}, "given", 0, {}, k};
}

template <class T>
SpectralRange widen_range(Workspace<T>& on, const Operator<T>& A, const SpectralRange& narrow,
                          const Nearness& near) {
  SpectralRange wide = estimate_range(on, A, 2 * few_steps, near);
  wide.bounds.low = std::min(wide.bounds.low, narrow.bounds.low);
  wide.bounds.high = std::max(wide.bounds.high, narrow.bounds.high);
  constexpr double more = 5;  // times the margin of the first estimate
  wide.bounds = stretched(wide.bounds, more, near);
  wide.from = fmt::format("widened from {}, which was too narrow", narrow.text());
  wide.products += narrow.products;
  return wide;
}

SPMV_INSTANTIATE(find_range);
SPMV_INSTANTIATE(widen_range);

}  // namespace spmv
