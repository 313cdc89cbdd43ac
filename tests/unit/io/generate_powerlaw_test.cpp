// Networks, and shuffled matrices.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/generator.hpp"
#include "io/generate/permutation.hpp"
#include "support/generated.hpp"

namespace spmv::test {
namespace {
using test::whole;

std::vector<gidx> lengths_of(const RowBlock<double>& m) {
  std::vector<gidx> lengths;
  for (gidx i = 0; i < m.rows(); ++i) lengths.push_back(m.row_ptr[i + 1] - m.row_ptr[i]);
  return lengths;
}

/// Exponent of P(L >= l) between l and 8 l: for a power law of density l^-a it is 1 - a.
double tail_exponent(const std::vector<gidx>& lengths, gidx l) {
  const auto above = [&](gidx limit) {
    return static_cast<double>(
        std::count_if(lengths.begin(), lengths.end(), [&](gidx x) { return x >= limit; }));
  };
  return std::log(above(8 * l) / above(l)) / std::log(8.0);
}

TEST(PowerLaw, RowsHaveTheMeanTheLongestAndTheExponent) {
  for (const auto& [specification, mean, longest, exponent] :
       {std::tuple<const char*, double, gidx, double>{"powerlaw:200000,7.4,4000", 7.4, 4000, 2.2},
        {"powerlaw:100000,3,1000,exponent=2.8", 3, 1000, 2.8},
        {"powerlaw:100000,20,20000,exponent=2,seed=7", 20, 20000, 2}}) {
    SCOPED_TRACE(specification);
    const auto m = whole(specification);
    const std::vector<gidx> lengths = lengths_of(m);
    EXPECT_NEAR(static_cast<double>(m.nonzeros()) / static_cast<double>(m.rows()), mean, 0.05 * mean);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), longest);
    EXPECT_NEAR(tail_exponent(lengths, 8), 1 - exponent, 0.15);
  }
}

TEST(PowerLaw, ColumnsAreAsUnequalAndPopularOnesAreAnywhere) {
  const auto m = whole("powerlaw:200000,7.4,4000");
  std::vector<gidx> degree(static_cast<std::size_t>(m.rows()), 0);
  for (const gidx col : m.col) ++degree[static_cast<std::size_t>(col)];
  EXPECT_NEAR(tail_exponent(degree, 16), 1 - 2.2, 0.25);
  EXPECT_GT(*std::max_element(degree.begin(), degree.end()), 4000);
  std::vector<gidx> popular;
  for (gidx col = 0; col < m.rows(); ++col)
    if (degree[static_cast<std::size_t>(col)] > 400) popular.push_back(col);
  ASSERT_GT(popular.size(), 50u);
  EXPECT_NEAR(static_cast<double>(popular[popular.size() / 2]), 1e5, 4e4);
}

TEST(PowerLaw, ColumnsAscendOnceEachEvenInFullRows) {
  for (const char* specification :
       {"powerlaw:3000,7.4,300", "powerlaw:40,30,40", "powerlaw:1,1,1", "powerlaw:50,50,50",
        "powerlaw:60,0.2,60,exponent=1.1", "powerlaw:60,9,30,exponent=10"}) {
    SCOPED_TRACE(specification);
    const auto m = whole(specification);
    EXPECT_GT(m.nonzeros(), 0);
    for (gidx i = 0; i < m.rows(); ++i) {
      for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
        ASSERT_TRUE(m.col[k] >= 0 && m.col[k] < m.rows());
        ASSERT_TRUE(k == m.row_ptr[i] || m.col[k - 1] < m.col[k]);
        ASSERT_TRUE(std::abs(m.value[k]) < 1 && m.value[k] != 0);
      }
    }
  }
  EXPECT_EQ(whole("powerlaw:50,50,50").nonzeros(), 2500);
}

TEST(PowerLaw, TheSeedDecides) {
  EXPECT_EQ(whole("powerlaw:500,5,50").col, whole("powerlaw:500,5,50,seed=1").col);
  EXPECT_NE(whole("powerlaw:500,5,50").col, whole("powerlaw:500,5,50,seed=2").col);
}

TEST(PowerLaw, ImpossibleNetworksAreRefused) {
  for (const char* bad : {"powerlaw:10,5", "powerlaw:10,5,11", "powerlaw:10,5,4", "powerlaw:10,0,4",
                          "powerlaw:10.5,2,4", "powerlaw:10,2,3.5", "powerlaw:0,0,0", "powerlaw:10,nan,4",
                          "powerlaw:10,2,4,exponent=1", "powerlaw:10,2,4,seed=-1", "powerlaw:10,2,4,x=1"}) {
    try {
      make_generator(bad);
      ADD_FAILURE() << bad << " is accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("powerlaw:4000000,7.4,4000"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Permutation, IsOneToOneAndHasAnInverse) {
  for (const gidx size : {1, 2, 3, 4, 5, 16, 17, 1000, 4097}) {
    for (const std::uint64_t seed : {0, 1, 99}) {
      const Permutation p(size, seed);
      std::vector<char> hit(static_cast<std::size_t>(size), 0);
      for (gidx i = 0; i < size; ++i) {
        const gidx to = p(i);
        ASSERT_TRUE(to >= 0 && to < size) << size;
        ASSERT_FALSE(hit[static_cast<std::size_t>(to)]) << size;
        hit[static_cast<std::size_t>(to)] = 1;
        ASSERT_EQ(p.inverse(to), i) << size;
      }
    }
  }
  const gidx huge = (gidx{1} << 62) - 5;
  const Permutation p(huge, 3);
  for (const gidx i : {gidx{0}, gidx{12345}, huge - 1}) EXPECT_EQ(p.inverse(p(i)), i);
}

TEST(Permutation, LeavesNothingNearWhereItWas) {
  const Permutation p(100'000, 1);
  gidx near = 0, kept_neighbours = 0;
  double moved = 0;
  for (gidx i = 0; i + 1 < 100'000; ++i) {
    near += p(i) == i ? 1 : 0;
    kept_neighbours += std::abs(p(i + 1) - p(i)) <= 2 ? 1 : 0;
    moved += std::abs(static_cast<double>(p(i) - i)) / 1e5;
  }
  EXPECT_LT(near, 12);
  EXPECT_LT(kept_neighbours, 25);
  EXPECT_NEAR(moved, 1e5 / 3, 1e3);
}

TEST(Shuffled, IsTheSameMatrixUnderOtherNumbers) {
  for (const char* inner : {"stencil7:4,3,5", "elasticity:3,2,2", "powerlaw:100,8,60", "stencil7:1,1,1"}) {
    SCOPED_TRACE(inner);
    const auto a = whole(inner);
    const auto b = whole(std::string("shuffled:5,") + inner);
    const Permutation p(a.rows(), 5);
    ASSERT_EQ(b.rows(), a.rows());
    ASSERT_EQ(b.nonzeros(), a.nonzeros());
    for (gidx i = 0; i < a.rows(); ++i) {
      std::map<gidx, double> expected;
      for (offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) expected[p(a.col[k])] = a.value[k];
      const gidx row = p(i);
      ASSERT_EQ(b.row_ptr[row + 1] - b.row_ptr[row], static_cast<offset>(expected.size()));
      offset k = b.row_ptr[row];
      for (const auto& [col, value] : expected) {  // ascending
        ASSERT_EQ(b.col[k], col);
        ASSERT_EQ(b.value[k++], value);
      }
    }
  }
  EXPECT_NE(whole("shuffled:5,stencil7:4,3,5").col, whole("shuffled:6,stencil7:4,3,5").col);
}

TEST(Shuffled, BadSpecificationsAreRefused) {
  for (const char* bad : {"shuffled", "shuffled:3", "shuffled:3,", "shuffled:-1,stencil7:2,2,2",
                          "shuffled:x,stencil7:2,2,2", "shuffled:1,stencil7:2,2", "shuffled:1,cube:3"})
    EXPECT_THROW(make_generator(bad), Error) << bad;
}

}  // namespace
}  // namespace spmv::test
