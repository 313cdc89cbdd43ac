// Stand-ins for matrices that are not public: the properties that they share with the originals.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/generator.hpp"
#include "support/generated.hpp"

namespace spmv::test {
namespace {
using test::whole;

struct Lengths {
  double mean = 0;
  int longest = 0, shortest = 0;
};

/// Lengths of every `step`-th row.
Lengths sampled(const RowSource& source, gidx step) {
  Lengths l;
  l.shortest = source.longest_row();
  gidx count = 0;
  for (gidx row = 0; row < source.shape().rows; row += step, ++count) {
    const int length = source.row_length(row);
    l.mean += length;
    l.longest = std::max(l.longest, length);
    l.shortest = std::min(l.shortest, length);
  }
  l.mean /= static_cast<double>(count);
  return l;
}

TEST(StandIns, HaveTheOriginalsRowsAndNonzerosPerRow) {
  struct Original {
    const char* name;
    gidx rows;
    double rows_within, mean;
    gidx step;
  };
  for (const Original& o : {Original{"dlr1", 278'502, 0, 144, 101},
                            {"dlr2", 541'980, 0, 315, 101},
                            {"uhbr", 4'500'000, 0, 123, 1009},
                            {"samg", 3'400'000, 34'000, 7, 101}}) {
    SCOPED_TRACE(o.name);
    const auto source = make_generator(o.name);
    EXPECT_NEAR(static_cast<double>(source->shape().rows), static_cast<double>(o.rows), o.rows_within);
    EXPECT_NEAR(sampled(*source, o.step).mean, o.mean, 0.03 * o.mean);
  }
}

TEST(StandIns, HaveTheOriginalsSpreadOfRowLengths) {
  // ELLPACK's share of padding is 1 - mean / longest [Kreutzer 2012, Table 1].
  const auto wasted = [](const Lengths& l) { return 1 - l.mean / l.longest; };
  const Lengths dlr1 = sampled(*make_generator("dlr1"), 6);
  EXPECT_NEAR(wasted(dlr1), 0.175, 0.03);
  const Lengths dlr2 = sampled(*make_generator("dlr2"), 25);
  EXPECT_NEAR(wasted(dlr2), 0.480, 0.03);
  const Lengths samg = sampled(*make_generator("samg"), 7);
  EXPECT_NEAR(wasted(samg), 0.684, 0.03);
  EXPECT_GT(samg.longest, 4 * samg.shortest);
}

TEST(StandIns, ScaleSetsTheNumberOfRows) {
  for (const auto& [name, rows] : {std::pair<const char*, gidx>{"dlr1:0.01", 6 * 464},
                                   {"dlr2:0.001", 5 * 108},
                                   {"uhbr:0.0001", 5 * 90},
                                   {"dlr1:1e-9", 6},
                                   {"samg:1e-9", 1},
                                   {"dlr1:2", 2 * 278'502}})
    EXPECT_EQ(make_generator(name)->shape().rows, rows) << name;
  const auto samg = make_generator("samg:0.01");
  EXPECT_NEAR(static_cast<double>(samg->shape().rows), 34'000, 3'400);
  EXPECT_NEAR(sampled(*make_generator("dlr1:0.1"), 7).mean, 144, 15);
  for (const char* bad : {"dlr1:0", "dlr1:-1", "dlr2:101", "uhbr:x", "samg:1,2", "samg:nan", "dlr1:scale=1"})
    EXPECT_THROW(make_generator(bad), Error) << bad;
}

TEST(StandIns, PatternsAreSymmetric) {
  for (const char* name : {"dlr1:0.0005", "dlr1:0.01", "dlr2:0.0001", "dlr2:0.002", "dlr2:0.005",
                           "uhbr:0.0005", "samg:0.0001", "samg:0.002"}) {
    SCOPED_TRACE(name);
    const auto m = whole(name);
    std::vector<std::pair<gidx, gidx>> entries, turned;
    for (gidx i = 0; i < m.rows(); ++i) {
      for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
        entries.emplace_back(i, m.col[k]);
        turned.emplace_back(m.col[k], i);
      }
    }
    std::sort(turned.begin(), turned.end());
    EXPECT_TRUE(entries == turned);
  }
}

TEST(PointCloud, ConsistsOfFullBlocksWithADominantDiagonal) {
  for (const auto& [name, b] :
       {std::pair<const char*, gidx>{"dlr1:0.01", 6}, {"dlr2:0.002", 5}, {"uhbr:0.001", 5}}) {
    SCOPED_TRACE(name);
    const auto m = whole(name);
    for (gidx i = 0; i < m.rows(); ++i) {
      const offset begin = m.row_ptr[i], length = m.row_ptr[i + 1] - begin;
      const offset first = m.row_ptr[i / b * b];
      ASSERT_EQ(length % b, 0);
      double others = 0, diagonal = 0;
      for (offset k = 0; k < length; ++k) {
        ASSERT_EQ(m.col[begin + k] % b, k % b);
        ASSERT_EQ(m.col[begin + k], m.col[first + k]);
        (m.col[begin + k] == i ? diagonal : others) += std::abs(m.value[begin + k]);
      }
      ASSERT_GT(diagonal, others);
    }
  }
}

/// Whether points p and q of a cloud are coupled (6 rows per point).
bool coupled(const RowSource& source, gidx p, gidx q) {
  std::vector<gidx> cols(static_cast<std::size_t>(source.longest_row()));
  std::vector<double> values(cols.size());
  const int length = source.row(6 * p, cols.data(), values.data());
  return std::binary_search(cols.begin(), cols.begin() + length, 6 * q);
}

TEST(PointCloud, IsClosedAcrossAndOpenAlong) {
  const auto large = make_generator("dlr1:0.0216");  // 1003 points: layers of 10 x 10
  for (gidx i = 0; i < 10; ++i) {
    EXPECT_TRUE(coupled(*large, 10 * i, 10 * i + 9));
    EXPECT_TRUE(coupled(*large, i, i + 90));
    EXPECT_TRUE(coupled(*large, i, i + 100));
    EXPECT_FALSE(coupled(*large, i, i + 5));
    EXPECT_FALSE(coupled(*large, i, i + 900));
  }
  const auto small = make_generator("dlr1:0.001379");  // 64 points: layers of 4 x 4
  ASSERT_EQ(small->shape().rows, 6 * 64);
  for (gidx i = 0; i < 4; ++i) {
    EXPECT_TRUE(coupled(*small, 4 * i, 4 * i + 3));
    EXPECT_TRUE(coupled(*small, i, i + 12));
    EXPECT_FALSE(coupled(*small, i, i + 48));
  }
}

TEST(RefinedGrid, OneCellByHand) {
  // One cell between six walls, each half a cell away.
  const auto one = whole("samg:1e-7");
  ASSERT_EQ(one.nonzeros(), 1);
  EXPECT_EQ(one.value[0], 12);
}

TEST(RefinedGrid, IsSymmetricAndConservesWhatFlows) {
  const auto m = whole("samg:0.002");
  std::map<std::pair<gidx, gidx>, double> values;
  for (gidx i = 0; i < m.rows(); ++i)
    for (offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) values[{i, m.col[k]}] = m.value[k];
  std::map<double, gidx> kinds;
  double to_walls = 0;
  for (const auto& [place, value] : values) {
    const auto other = values.find({place.second, place.first});
    ASSERT_TRUE(other != values.end() && other->second == value);
    if (place.first != place.second) ++kinds[value];
    to_walls += value;
  }
  ASSERT_EQ(kinds.size(), 3u);  // between whole cells, between divided ones, and between one of each
  EXPECT_TRUE(kinds.count(-1) == 1 && kinds.count(-0.5) == 1);
  for (const auto& [value, count] : kinds) EXPECT_GT(count, 100) << value;
  // Six walls of 16 x 16 cells: 2 per cell, 4 for the few divided ones.
  EXPECT_GE(to_walls, 6 * 16 * 16 * 2 - 1e-6);
  EXPECT_LE(to_walls, 6 * 16 * 16 * 2 + 20);
}

}  // namespace
}  // namespace spmv::test
