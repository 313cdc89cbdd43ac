// Intervals that contain the spectra of hermitian matrices, estimated on ranks.
#include "dist/spectrum/spectral_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "support/dense_spectrum.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class SpectralRanges : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SpectralRanges, ValueTypes);

/// Hermitian, with eigenvalues of both signs. Some leave ranks without rows.
template <class T>
std::vector<SmallSystem<T>> some_systems() {
  return {grid<T>("grid", 5, 4, 0.7, false, -1.5), grid<T>("scaled", 4, 4, 0.3, true),
          grid<T>("line", 17, 1, 0, false, 0.4), grid<T>("two rows", 2, 1, 1, false)};
}

void expect_same_on_ranks(const std::vector<double>& numbers) {
  for (const double number : numbers)
    for (const double other : world().all_gather(number)) ASSERT_EQ(number, other);
}

TYPED_TEST(SpectralRanges, ContainTheSpectrum) {
  using T = TypeParam;
  std::vector<SmallSystem<T>> systems = some_systems<T>();
  const double far = 1 / (1000 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()));
  systems.push_back(grid<T>("far from 0", 5, 4, 0.7, false, far));
  systems.push_back(grid<T>("far below 0", 5, 4, 0.7, false, -far));
  for (const SmallSystem<T>& system : systems) {
    SCOPED_TRACE(system.name);
    const auto values = diagonalised(dense(system)).value;
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
    const SpectralRange range = find_range<T>(solved.on(), solved.A(), std::nullopt);
    EXPECT_LT(range.bounds.low, *lowest);
    EXPECT_GT(range.bounds.high, *highest);
    EXPECT_LT(2 * range.half_width(), 1.1 * static_cast<double>(*highest - *lowest)) << "wider than needed";
    expect_same_on_ranks({range.bounds.low, range.bounds.high});
  }
}

/// 2 on the diagonal, -1 beside it: its ends are dense, and their residuals fall slowly.
TYPED_TEST(SpectralRanges, AreAsNearAsWanted) {
  using T = TypeParam;
  const SmallSystem<T> line = grid<T>("line", 300, 1, 0, false);
  const double lowest = 2 - 2 * std::cos(std::acos(-1.0) / 301), highest = 4 - lowest;
  Solved<T> solved(line, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  const double near = sizeof(RealOf<T>) == sizeof(float) ? 1e-3 : 1e-5;
  const SpectralRange coarse = find_range<T>(solved.on(), solved.A(), std::nullopt);
  const SpectralRange low = find_range<T>(solved.on(), solved.A(), std::nullopt, {.low = near});
  const SpectralRange high = widen_range<T>(solved.on(), solved.A(), {{1, 2}, "given", 0}, {.high = near});
  const double rounding = 100 * std::numeric_limits<RealOf<T>>::epsilon();
  EXPECT_LT(low.bounds.low, lowest);
  EXPECT_GT(low.bounds.low, lowest - 2 * near - rounding);
  EXPECT_GT(high.bounds.high, highest);
  EXPECT_LT(high.bounds.high, highest + 3 * near + rounding);
  EXPECT_LT(coarse.bounds.low, lowest - 5e-3);
  EXPECT_GT(coarse.bounds.high, highest + 5e-3);
  EXPECT_GT(low.products, coarse.products);
}

TYPED_TEST(SpectralRanges, WithoutAWidthAreNamed) {
  using T = TypeParam;
  for (const double value : {0.0, 1.0, -3e5}) {
    SmallSystem<T> system{"one eigenvalue", 9, {}};
    for (gidx i = 0; i < system.rows; ++i) system.entries.push_back({i, i, T(static_cast<RealOf<T>>(value))});
    Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    const SpectralRange range = find_range<T>(solved.on(), solved.A(), std::nullopt);
    EXPECT_NE(range.from.find("no width"), std::string::npos) << range.from;
    EXPECT_LT(range.bounds.low, value);
    EXPECT_GT(range.bounds.high, value);
    EXPECT_LT(range.half_width(), value == 0 ? 2 : 1e-4 * std::abs(value));
  }
}

}  // namespace
}  // namespace spmv::test
