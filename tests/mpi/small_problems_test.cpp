// Small dense problems, which rank 0 solves for all: the same bits on every rank, whatever the others' matrices are.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/ends_of_spectrum.hpp"
#include "dist/spectrum/eigen_symmetric.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

/// The second difference on a line of so many points, around `centre`.
Tridiagonal line(int points, double centre = 0) {
  const auto n = static_cast<std::size_t>(points);
  return {std::vector<double>(n, centre), std::vector<double>(n - 1, 1)};
}

std::vector<double> numbers_of(const EndsOfSpectrum& ends) {
  return {ends.lowest.value, ends.lowest.residual, ends.highest.value, ends.highest.residual};
}

void expect_those_of_rank_0(const std::vector<double>& numbers) {
  EXPECT_EQ(numbers, world().broadcast(numbers));
}

SmallMatrix matrix_of_rank(int rank) {
  SmallMatrix a(7);
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = std::sin(i + 3 * j) * (1 + 1e-15 * rank);
  return a;
}

TEST(SmallProblems, EigenvectorsHaveTheSameBitsOnAllRanks) {
  SymmetricEigen eigen = eigen_symmetric(world(), matrix_of_rank(world().rank()));
  expect_those_of_rank_0(eigen.values);
  expect_those_of_rank_0(eigen.vectors.elements());
  SymmetricEigen expected = eigen_symmetric(matrix_of_rank(0));
  EXPECT_EQ(eigen.values, expected.values);
  EXPECT_EQ(eigen.vectors.elements(), expected.vectors.elements());
  EXPECT_TRUE(eigen_symmetric(world(), SmallMatrix()).values.empty());
}

TEST(SmallProblems, WhatIsNotFiniteIsRefusedOnAllRanks) {
  SmallMatrix a = matrix_of_rank(0);
  a(2, 1) = a(1, 2) = world().rank() == 0 ? nan : 1;
  EXPECT_THROW(eigen_symmetric(world(), a), AgreedError);
}

TEST(SmallProblems, EndsOfALineAreTheKnownOnes) {
  for (const int points : {1, 2, 3, 12, 500})
    for (const double centre : {0.0, -3.0, 1e9}) {
      SCOPED_TRACE(testing::Message() << points << " points around " << centre);
      const double angle = std::numbers::pi / (points + 1), beta = 0.25;
      const double last = std::sqrt(2.0 / (points + 1)) * std::sin(angle);
      const double rounding = 1e-14 * (3 + std::abs(centre));
      const EndsOfSpectrum ends = ends_of(world(), line(points, centre), beta);
      EXPECT_NEAR(ends.highest.value, centre + 2 * std::cos(angle), rounding);
      EXPECT_NEAR(ends.lowest.value, centre - 2 * std::cos(angle), rounding);
      if (centre == 1e9) continue;  // rounding mixes the vectors of neighbours
      EXPECT_NEAR(ends.highest.residual, beta * last, 1e-7);
      EXPECT_NEAR(ends.lowest.residual, beta * last, 1e-7);
    }
}

TEST(SmallProblems, EndsBesideTheLastVectorHaveNoResidual) {
  const EndsOfSpectrum ends = ends_of(world(), {{5, 1, -7}, {0, 0}}, 2);
  EXPECT_EQ(numbers_of(ends), (std::vector<double>{-7, 2, 5, 0}));
}

TEST(SmallProblems, EndsHaveTheSameBitsOnAllRanks) {
  Tridiagonal mine = line(20, 1 + 1e-15 * world().rank());
  mine.off[3] += 1e-15 * world().rank();
  expect_those_of_rank_0(numbers_of(ends_of(world(), mine, 1 + world().rank())));
}

TEST(SmallProblems, EndsOfWhatIsNotFiniteAreNotFinite) {
  for (const double value : {nan, infinity, -infinity}) {
    Tridiagonal diagonal = line(6), off = line(6);
    diagonal.diagonal[2] = off.off[4] = value;
    for (const Tridiagonal& matrix : {diagonal, off})
      for (const double number : numbers_of(ends_of(world(), matrix, 1))) EXPECT_FALSE(std::isfinite(number));
    EXPECT_FALSE(std::isfinite(ends_of(world(), line(6), value).lowest.residual));
  }
}

}  // namespace
}  // namespace spmv::test
