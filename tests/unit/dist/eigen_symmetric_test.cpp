#include "dist/spectrum/eigen_symmetric.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "core/reference.hpp"

namespace spmv::test {
namespace {

SmallMatrix random_symmetric(int n) {
  SmallMatrix a(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = x_value<double>(gidx{i} * n + j, 0);
  return a;
}

void check(const SmallMatrix& a) {
  const SymmetricEigen eigen = eigen_symmetric(a);
  ASSERT_EQ(static_cast<int>(eigen.values.size()), a.rows());
  for (int k = 0; k < a.rows(); ++k) {
    const double value = eigen.values[static_cast<std::size_t>(k)];
    if (k > 0) {
      EXPECT_LE(eigen.values[static_cast<std::size_t>(k) - 1], value);
    }
    for (int i = 0; i < a.rows(); ++i) {
      double product = 0, overlap = 0;
      for (int j = 0; j < a.rows(); ++j) {
        product += a(i, j) * eigen.vectors(j, k);
        overlap += eigen.vectors(j, i) * eigen.vectors(j, k);
      }
      EXPECT_NEAR(product, value * eigen.vectors(i, k), 1e-13) << i << ' ' << k;
      EXPECT_NEAR(overlap, i == k ? 1 : 0, 1e-14) << i << ' ' << k;
    }
  }
}

TEST(EigenSymmetric, FindsAllPairs) {
  for (const int n : {0, 1, 2, 3, 7, 30, 90}) check(random_symmetric(n));
}

TEST(EigenSymmetric, DegenerateAndDecoupled) {
  SmallMatrix a(4);
  a(0, 0) = a(2, 2) = 1;
  a(1, 3) = a(3, 1) = 1;
  check(a);
  EXPECT_NEAR(eigen_symmetric(a).values.front(), -1, 1e-15);
  check(SmallMatrix(5));
}

/// The second difference on a line.
TEST(EigenSymmetric, KnownValues) {
  constexpr int n = 12;
  SmallMatrix line(n);
  for (int i = 0; i < n; ++i) {
    line(i, i) = 2;
    if (i > 0) line(i, i - 1) = line(i - 1, i) = -1;
  }
  const SymmetricEigen eigen = eigen_symmetric(line);
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(eigen.values[static_cast<std::size_t>(k)],
                2 - 2 * std::cos((k + 1) * std::numbers::pi / (n + 1)), 1e-14);
}

TEST(EigenSymmetric, RefusesWhatIsNotFinite) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const int n : {1, 40}) {
      SmallMatrix a = random_symmetric(n);
      a(n / 2, n / 2) = value;
      EXPECT_THROW(eigen_symmetric(a), Error);
    }
}

}  // namespace
}  // namespace spmv::test
