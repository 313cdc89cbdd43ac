// Random matrices: their distributions, and that a row does not depend on which rank makes it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/binomial.hpp"
#include "io/generate/generator.hpp"
#include "io/generate/hash.hpp"
#include "support/generated.hpp"

namespace spmv::test {
namespace {
using test::whole;

void expect_refused(const std::string& specification) {
  try {
    make_generator(specification);
    ADD_FAILURE() << specification << " is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("for example"), std::string::npos) << error.what();
  }
}

/// Fails unless `found` is plausible for a count with mean and variance `expected`.
void expect_count(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 5 * std::sqrt(expected) + 5) << what;
}

TEST(Binomial, FollowsItsLaw) {
  constexpr int draws = 20'000;
  for (const auto& [n, p] : {std::pair<gidx, double>{20, 0.3},
                             {5, 0.5},
                             {1000, 0.24},
                             {1000, 0.76},
                             {60, 0.5},
                             {100'000, 0.00005}}) {
    std::vector<int> found(static_cast<std::size_t>(n) + 1, 0);
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const gidx k = binomial_draw(n, p, mixed(seed));
      ASSERT_TRUE(k >= 0 && k <= n);
      ++found[static_cast<std::size_t>(k)];
    }
    const auto size = static_cast<double>(n);
    for (gidx k = 0; k <= std::min(n, gidx{1000}); ++k) {
      const auto at = static_cast<double>(k);
      const double log_choices = std::lgamma(size + 1) - std::lgamma(at + 1) - std::lgamma(size - at + 1);
      const double probability = std::exp(log_choices + at * std::log(p) + (size - at) * std::log1p(-p));
      expect_count(found[static_cast<std::size_t>(k)], draws * probability,
                   std::to_string(k) + " of " + std::to_string(n));
    }
  }
}

TEST(Binomial, ManyTrialsHaveTheMeanAndTheVariance) {
  const auto n = gidx{1} << 44;
  constexpr double p = 0.24;
  constexpr int draws = 10'000;
  const double mean = p * static_cast<double>(n), deviation = std::sqrt(mean * (1 - p));
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const double off = (static_cast<double>(binomial_draw(n, p, seed)) - mean) / deviation;
    sum += off / draws;
    squares += off * off / draws;
  }
  EXPECT_NEAR(sum, 0, 0.05);
  EXPECT_NEAR(squares, 1, 0.07);
}

TEST(Binomial, EndsOfTheRange) {
  EXPECT_EQ(binomial_draw(0, 0.5, 1), 0);
  EXPECT_EQ(binomial_draw(1000, 0, 1), 0);
  EXPECT_EQ(binomial_draw(1000, 1, 1), 1000);
}

TEST(Random, PlacesAreIndependentAndAlikeLikely) {
  const auto m = whole("random:4000,500,20");
  expect_count(static_cast<double>(m.nonzeros()), 4000 * 20, "nonzeros");
  std::vector<int> degree(500, 0), of_length(200, 0);
  for (const gidx col : m.col) ++degree[static_cast<std::size_t>(col)];
  for (const int count : degree) expect_count(count, 160, "nonzeros of a column");
  double squares = 0;
  for (gidx i = 0; i < m.rows(); ++i) {
    const auto off = static_cast<double>(m.row_ptr[i + 1] - m.row_ptr[i]) - 20;
    squares += off * off / 4000;
  }
  EXPECT_NEAR(squares, 20 * (1 - 0.04), 2);
}

TEST(Random, FullAndEmptyRowsAndMoreThanHalfOfAllPlaces) {
  EXPECT_EQ(whole("random:30,40,40").nonzeros(), 1200);
  EXPECT_EQ(whole("random:30,40,0").nonzeros(), 0);
  EXPECT_EQ(whole("random:1,1,1").nonzeros(), 1);
  const auto m = whole("random:2000,40,30");
  expect_count(static_cast<double>(m.nonzeros()), 60'000, "nonzeros");
  EXPECT_NE(whole("random:100,100,5").col, whole("random:100,100,5,seed=2").col);
}

TEST(Banded, StaysInItsBandAndIsSymmetricInPattern) {
  for (const char* specification : {"banded:300,20,density=0.3", "banded:300,20", "banded:10,20",
                                    "banded:300,20,density=0", "banded:5,0", "banded:1,3"}) {
    SCOPED_TRACE(specification);
    const auto m = whole(specification);
    std::vector<std::vector<bool>> stands(static_cast<std::size_t>(m.rows()),
                                          std::vector<bool>(static_cast<std::size_t>(m.rows()), false));
    for (gidx i = 0; i < m.rows(); ++i)
      for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
        EXPECT_LE(std::abs(m.col[k] - i), 20);
        stands[static_cast<std::size_t>(i)][static_cast<std::size_t>(m.col[k])] = true;
      }
    for (std::size_t i = 0; i < stands.size(); ++i) {
      EXPECT_TRUE(stands[i][i]);
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(stands[i][j], stands[j][i]) << i << ' ' << j;
    }
  }
  EXPECT_EQ(whole("banded:300,20,density=0").nonzeros(), 300);
  EXPECT_EQ(whole("banded:300,20").nonzeros(), 300 * 41 - 20 * 21);
  const auto m = whole("banded:20000,20,density=0.3");
  EXPECT_NEAR(static_cast<double>(m.nonzeros()), 20000 + 0.3 * 20000 * 40, 3000);
}

TEST(Rmat, PlacesFollowTheLawOfEdgesDrawnOneByOne) {
  for (const std::string options : {"", ",a=0.25,b=0.25,c=0.25", ",a=0.4,b=0.1,c=0.3,seed=3"}) {
    const auto m = whole("rmat:10,16" + options);
    ASSERT_EQ(m.rows(), 1024);
    const bool even = options.find("0.25") != std::string::npos,
               other = options.find("seed") != std::string::npos;
    const double a = even ? 0.25 : other ? 0.4 : 0.57, b = even ? 0.25 : other ? 0.1 : 0.19;
    const double c = even ? 0.25 : other ? 0.3 : 0.19, d = 1 - a - b - c;
    // Nonzeros by the numbers of bits set in the row, in the column, and in both.
    std::vector<double> expected(11 * 11 * 11, 0), found(11 * 11 * 11, 0);
    const auto kind = [](unsigned i, unsigned j) {
      return (std::popcount(i) * 11 + std::popcount(j)) * 11 + std::popcount(i & j);
    };
    for (unsigned i = 0; i < 1024; ++i) {
      for (unsigned j = 0; j < 1024; ++j) {
        const int ones = std::popcount(i & j), rows = std::popcount(i) - ones, cols = std::popcount(j) - ones;
        const double p =
            std::pow(a, 10 - ones - rows - cols) * std::pow(b, cols) * std::pow(c, rows) * std::pow(d, ones);
        expected[kind(i, j)] += 1 - std::exp(16 * 1024 * std::log1p(-p));
      }
      for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
        ++found[kind(i, static_cast<unsigned>(m.col[k]))];
    }
    for (std::size_t k = 0; k < expected.size(); ++k)
      expect_count(found[k], expected[k], "kind " + std::to_string(k) + options);
  }
}

TEST(Rmat, ManyEdgesAtFewPlacesFillThem) {
  const auto m = whole("rmat:2,10000");
  EXPECT_EQ(m.nonzeros(), 16);
  EXPECT_EQ(m.col, (std::vector<gidx>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(whole("rmat:5,0").nonzeros(), 0);
  EXPECT_NE(whole("rmat:8,4").col, whole("rmat:8,4,seed=2").col);
}

TEST(Rmat, TheBoundOfRowsIsNearTheLongest) {
  const auto source = make_generator("rmat:20,16");
  EXPECT_GT(source->row_length(0), source->longest_row() / 3);
  EXPECT_LE(source->row_length(0), source->longest_row());
}

TEST(Anderson, RowsByHand) {
  // A ring of four along x, one bond along y, none along z.
  const auto m = whole("anderson:4,2,1,t=2,w=0");
  EXPECT_EQ(m.row_ptr, (std::vector<offset>{0, 4, 8, 12, 16, 20, 24, 28, 32}));
  EXPECT_EQ(std::vector<gidx>(m.col.begin(), m.col.begin() + 8), (std::vector<gidx>{0, 1, 3, 4, 0, 1, 2, 5}));
  EXPECT_EQ(std::vector<gidx>(m.col.begin() + 28, m.col.end()), (std::vector<gidx>{3, 4, 6, 7}));
  EXPECT_EQ(std::vector<double>(m.value.begin(), m.value.begin() + 4), (std::vector<double>{0, -2, -2, -2}));
  EXPECT_EQ(whole("anderson:3,3,3,t=0").nonzeros(), 27);
  EXPECT_EQ(whole("anderson:1,1,1").nonzeros(), 1);
}

TEST(Anderson, IsSymmetricWithEnergiesInTheirRange) {
  const auto m = whole("anderson:5,4,3,w=10");
  std::vector<double> dense(60 * 60, 0.0);
  double sum = 0, squares = 0;
  for (gidx i = 0; i < 60; ++i) {
    EXPECT_EQ(m.row_ptr[i + 1] - m.row_ptr[i], 7);
    for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) dense[i * 60 + m.col[k]] = m.value[k];
  }
  for (gidx i = 0; i < 60; ++i) {
    EXPECT_LT(std::abs(dense[i * 61]), 5);
    sum += dense[i * 61] / 60;
    squares += dense[i * 61] * dense[i * 61] / 60;
    for (gidx j = 0; j < i; ++j) ASSERT_EQ(dense[i * 60 + j], dense[j * 60 + i]);
  }
  EXPECT_NEAR(sum, 0, 2);
  EXPECT_NEAR(squares, 100.0 / 12, 3);
  EXPECT_NE(whole("anderson:3,3,3").value, whole("anderson:3,3,3,seed=2").value);
}

TEST(RandomMatrices, BadSpecificationsAreRefused) {
  for (const char* bad : {"random:10,10",
                          "random:0,10,1",
                          "random:10,10,11",
                          "random:10,10,-1",
                          "random:10.5,10,1",
                          "random:10,10000000,2000000",
                          "random:10,10,1,seed=0.5",
                          "banded:10",
                          "banded:0,1",
                          "banded:10,1000001",
                          "banded:10,2,density=1.1",
                          "banded:10,2,density=-0.1",
                          "rmat:20",
                          "rmat:0,1",
                          "rmat:33,1",
                          "rmat:10,10001",
                          "rmat:10,4,a=0.6,b=0.2,c=0.2",
                          "rmat:10,4,a=0",
                          "rmat:30,10000,a=0.9,b=0.05,c=0.02",
                          "anderson:3,3",
                          "anderson:0,3,3",
                          "anderson:3,3,3,v=1",
                          "anderson:3,3,3,seed=-1",
                          "anderson:4000000,4000000,4000000",
                          "diffusion:3,3",
                          "diffusion:3,3,3,z=0",
                          "diffusion:3,3,3,jump=-1",
                          "diffusion:3,3,3,cube=0",
                          "diffusion:3,3,3,cube=1.5"})
    expect_refused(bad);
}

}  // namespace
}  // namespace spmv::test
