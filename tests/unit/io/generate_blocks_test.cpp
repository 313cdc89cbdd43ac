// Stencils of dense blocks: their patterns, and the properties of elasticity.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/generator.hpp"
#include "support/generated.hpp"

namespace spmv::test {
namespace {
using test::whole;

std::vector<double> dense(const RowBlock<double>& m) {
  std::vector<double> values(static_cast<std::size_t>(m.rows() * m.rows()), 0.0);
  for (gidx i = 0; i < m.rows(); ++i)
    for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) values[i * m.rows() + m.col[k]] += m.value[k];
  return values;
}

TEST(BlockStencil, BlocksOfASmallGridByHand) {
  const auto m = whole("blocks:2,1,1,3");
  EXPECT_EQ(m.row_ptr, (std::vector<offset>{0, 6, 12, 18, 24, 30, 36}));
  for (offset k = 0; k < m.nonzeros(); ++k) EXPECT_EQ(m.col[k], k % 6);
  const auto line = whole("blocks:3,1,1,2");  // not periodic: the ends are not neighbours
  EXPECT_EQ(line.row_ptr, (std::vector<offset>{0, 4, 8, 14, 20, 24, 28}));
  EXPECT_EQ(std::vector<gidx>(line.col.begin() + 20, line.col.begin() + 24), (std::vector<gidx>{2, 3, 4, 5}));
}

TEST(BlockStencil, HasTheStencilsPatternInBlocks) {
  const auto points = whole("stencil27:4,3,5");
  for (const auto& [name, b] :
       {std::pair<const char*, gidx>{"blocks:4,3,5", 5}, {"blocks:4,3,5,1", 1}, {"elasticity:4,3,5", 3}}) {
    const auto m = whole(name);
    ASSERT_EQ(m.rows(), points.rows() * b) << name;
    ASSERT_EQ(m.nonzeros(), points.nonzeros() * b * b) << name;
    for (gidx row = 0; row < m.rows(); ++row) {
      std::vector<gidx> expected;
      for (offset k = points.row_ptr[row / b]; k < points.row_ptr[row / b + 1]; ++k)
        for (gidx j = 0; j < b; ++j) expected.push_back(points.col[k] * b + j);
      EXPECT_EQ(std::vector<gidx>(m.col.begin() + m.row_ptr[row], m.col.begin() + m.row_ptr[row + 1]),
                expected);
    }
  }
}

TEST(BlockStencil, ValuesOfBlocksAreAllDifferentAndNotZero) {
  const auto m = whole("blocks:4,3,5");
  EXPECT_EQ(std::set<double>(m.value.begin(), m.value.end()).size(), m.value.size());
  for (const double value : m.value) EXPECT_TRUE(value > -1 && value < 1 && value != 0);
  const double mean =
      std::accumulate(m.value.begin(), m.value.end(), 0.0) / static_cast<double>(m.nonzeros());
  EXPECT_NEAR(mean, 0, 0.02);
}

TEST(Elasticity, SizeOfTheLargeExample) {
  const auto source = make_generator("elasticity:60,60,60");
  EXPECT_EQ(source->shape().rows, 648'000);
  EXPECT_EQ(source->row_length(3 * (30 + 60 * (30 + 60 * 30))), 81);
  EXPECT_EQ(source->row_length(0), 24);
}

TEST(Elasticity, IsSymmetricWithManyDifferentValues) {
  const auto m = whole("elasticity:4,3,5");
  const std::vector<double> a = dense(m);
  std::set<double> different;
  for (gidx i = 0; i < m.rows(); ++i)
    for (gidx j = 0; j < i; ++j) {
      ASSERT_EQ(a[i * m.rows() + j], a[j * m.rows() + i]) << i << ", " << j;
      different.insert(a[i * m.rows() + j]);
    }
  for (const double value : m.value) EXPECT_TRUE(std::isfinite(value) && value != 0);
  EXPECT_GT(different.size(), static_cast<std::size_t>(m.nonzeros() / 5));
}

// Shifting all points alike strains no spring except those to the outside.
TEST(Elasticity, ShiftsAreFreeInTheInterior) {
  const auto m = whole("elasticity:5,5,5");
  for (int axis = 0; axis < 3; ++axis) {
    for (gidx row = 0; row < m.rows(); ++row) {
      double force = 0, largest = 0;
      for (offset k = m.row_ptr[row]; k < m.row_ptr[row + 1]; ++k) {
        if (m.col[k] % 3 == axis) force += m.value[k];
        largest = std::max(largest, std::abs(m.value[k]));
      }
      const gidx p = row / 3;
      const bool interior = p % 5 % 4 > 0 && p / 5 % 5 % 4 > 0 && p / 25 % 4 > 0;
      if (interior) {
        EXPECT_NEAR(force, 0, 1e-13 * largest) << row;
      } else if (row % 3 == axis) {
        EXPECT_GT(force, 0.01) << row;
      }
    }
  }
}

// Elimination without pivoting: all pivots are positive.
TEST(Elasticity, IsPositiveDefinite) {
  const auto m = whole("elasticity:3,4,3");
  const gidx n = m.rows();
  std::vector<double> a = dense(m);
  for (gidx k = 0; k < n; ++k) {
    ASSERT_GT(a[k * n + k], 1e-6) << k;
    for (gidx i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (gidx j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

}  // namespace
}  // namespace spmv::test
