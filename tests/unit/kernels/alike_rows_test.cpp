// How hosts multiply rows: several rows with equal columns at once, or four elements of a row at once. Each
// row must get the same bits as when it is multiplied alone.
#include "kernels/rows/alike_rows.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/pick.hpp"
#include "kernels/format.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/prediction.hpp"
#include "support/block_battery.hpp"
#include "support/packed_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class AlikeProducts : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(AlikeProducts, ValueTypes);

/// Runs of 1 to 9 rows with the same pattern, for lengths from 0 to 13.
Pattern runs_of_rows() {
  Pattern pattern{"runs", 100, {}};
  for (lidx length = 0; length < 14; ++length)
    for (int run = 1; run < 10; ++run)
      for (int r = 0; r < run; ++r) {
        pattern.rows.emplace_back();
        for (lidx k = 0; k < length; ++k) pattern.rows.back().push_back((k * 7 + run + length) % 100);
      }
  return pattern;
}

template <class T>
Csr<T> block_of(const Pattern& pattern) {
  Csr<T> block = make_block<T>(pattern);
  for (std::size_t k = 0; k < block.value.size(); ++k)
    block.value[k] = T(RealOf<T>(1) / static_cast<RealOf<T>>(3 + k % 101));
  return block;
}

TYPED_TEST(AlikeProducts, HaveTheBitsThatEachHasAlone) {
  using T = TypeParam;
  const Csr<T> block = block_of<T>(runs_of_rows());
  const std::vector<std::uint8_t> alike = find_alike_rows(block).alike;
  ASSERT_EQ(alike.size(), static_cast<std::size_t>(block.rows));
  std::vector<T> x(static_cast<std::size_t>(block.cols));
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = T(RealOf<T>(1) / static_cast<RealOf<T>>(7 + c % 50));
  std::vector<lidx> backwards(static_cast<std::size_t>(block.rows));
  for (lidx row = 0; row < block.rows; ++row) backwards[row] = block.rows - 1 - row;
  const int threads_before = omp_get_max_threads();
  for (const int threads : {1, 2, 5, 16})
    for (const Update update : {Update::assign, Update::add})
      for (const bool listed : {false, true}) {
        SCOPED_TRACE(testing::Message() << threads << " threads, " << (listed ? "listed" : "in order"));
        omp_set_num_threads(threads);
        CsrView<T> view{};
        view.rows = block.rows;
        view.row_ptr = block.row_ptr.data();
        view.col = block.col.data();
        view.value = block.value.data();
        view.row_list = listed ? backwards.data() : nullptr;
        std::vector<T> alone(backwards.size(), T(3)), together = alone;
        multiply_host(view, x.data(), alone.data(), update);
        view.alike = alike.data();
        multiply_host(view, x.data(), together.data(), update);
        EXPECT_TRUE(same_bits(alone, together));
        view.by_fours = true;
        std::vector<T> alike_by_fours(backwards.size(), T(3)), by_fours = alike_by_fours;
        multiply_host(view, x.data(), alike_by_fours.data(), update);
        EXPECT_TRUE(same_bits(alone, alike_by_fours));
        view.alike = nullptr;
        multiply_host(view, x.data(), by_fours.data(), update);
        EXPECT_TRUE(same_bits(alone, by_fours));
      }
  omp_set_num_threads(threads_before);
}

TEST(FindAlikeRows, ComparesColumnsInTheirOrder) {
  const Csr<double> block = make_block<double>(
      {"alike", 9, {{1, 2}, {1, 2}, {2, 1}, {1, 2, 3}, {1, 2, 3}, {1, 2}, {}, {}, {8}, {8}}});
  const AlikeRows found = find_alike_rows(block);
  EXPECT_EQ(found.nonzeros, 2 + 3 + 0 + 1);
  EXPECT_EQ(std::vector<int>(found.alike.begin(), found.alike.end()),
            (std::vector<int>{0, 1, 0, 0, 1, 0, 0, 1, 0, 1}));
}

TEST(FindAlikeRows, FewAreNotWorthLookingAtEachRow) {
  Pattern pattern{"few", 100, {{1, 2}, {1, 2}}};
  for (lidx row = 2; row < 17; ++row) pattern.rows.push_back({row, row + 1});
  EXPECT_TRUE(find_alike_rows(make_block<double>(pattern)).alike.empty()) << "1 of 17";
  EXPECT_TRUE(find_alike_rows(Csr<double>{}).alike.empty());
}

TEST(FindAlikeRows, AnalysisAndPredictionsOfHostsKnowThem) {
  const Analysis blocks = analyze(make_block<double>(block_pattern("blocks", 900, 3, false)));
  EXPECT_NEAR(blocks.alike_share, 2.0 / 3, 0.02);
  Pattern unlike{"unlike", 200, {}};
  for (lidx row = 0; row < 100; ++row) unlike.rows.push_back({row, row + 1, row + 7});
  EXPECT_EQ(analyze(make_block<double>(unlike)).alike_share, 0);

  const auto load = [](const char* name, double alike_share, bool runs_host_code) {
    Analysis a;
    a.nonzeros = 3200;
    a.value_bytes = sizeof(double);
    a.alike_share = alike_share;
    Cost cost;
    cost.moved_bytes = 40'000;
    return load_of(name, cost, {}, a, {runs_host_code, 1e9, 1});
  };
  for (const char* name : {"csr", "csr_vector", "csr_scalar"}) {
    EXPECT_EQ(load(name, 0, true).iterations, 100);
    EXPECT_NEAR(load(name, 0.5, true).iterations, 80, 1e-9) << name;
    EXPECT_NEAR(load(name, 0.5, true).streaming_s, (40'000 - 1600 * sizeof(lidx)) / 1e9, 1e-15) << name;
    EXPECT_EQ(load(name, 0.5, false).streaming_s, load(name, 0, false).streaming_s) << "a GPU reads all";
  }
  EXPECT_EQ(load("sell", 0.5, true).streaming_s, load("sell", 0, true).streaming_s);
}

TYPED_TEST(AlikeProducts, RowsByFoursDoNotCountWhatStandsBehindThem) {
  using T = TypeParam;
  const auto nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  for (offset length = 0; length <= 9; ++length)
    for (offset behind = 0; behind <= 9; ++behind) {
      // A row, and one of NaN after it. After both come columns that x does not have: a read of x there would
      // crash.
      const auto all = static_cast<std::size_t>(length + behind);
      std::vector<T> value(all, T(nan)), x(all, T(nan));
      std::fill_n(value.begin(), length, T(2));
      std::fill_n(x.begin(), length, T(3));
      std::vector<lidx> col(all + 4, std::numeric_limits<lidx>::max());
      std::iota(col.begin(), col.begin() + length + behind, 0);
      const std::vector<offset> row_ptr{0, length, length + behind};
      CsrView<T> view{};
      view.rows = 2;
      view.row_ptr = row_ptr.data();
      view.col = col.data();
      view.value = value.data();
      view.by_fours = true;
      std::vector<T> y(2, T(nan));
      multiply_host(view, x.data(), y.data(), Update::assign);
      EXPECT_EQ(y[0], T(static_cast<RealOf<T>>(6 * length))) << length << " and " << behind;
      if (behind == 0) {
        EXPECT_EQ(y[1], T{}) << length;
      }
    }
}

TEST(PaysByFours, WhereXIsNearAndRowsAreLongOrOfManyLengths) {
  const auto pattern_of = [](lidx cols, lidx distance, lidx shortest, lidx longest, lidx alike = 1) {
    Pattern pattern{"rows", cols, {}};
    for (lidx row = 0; row < 800; ++row) {
      pattern.rows.emplace_back();
      const lidx length = shortest + row / alike % (longest - shortest + 1);
      for (lidx k = 0; k < length; ++k) pattern.rows.back().push_back(row + k * distance);
    }
    return pattern;
  };
  const auto pays = [&](auto... what) { return pays_by_fours(make_block<double>(pattern_of(what...))); };
  EXPECT_TRUE(pays(80'000, 100, 27, 27)) << "long";
  EXPECT_FALSE(pays(80'000, 100, 7, 7)) << "short";
  EXPECT_TRUE(pays(80'000, 100, 5, 9)) << "many lengths";
  EXPECT_TRUE(pays(80'000, 100, 5, 9, 2)) << "many lengths, equal in pairs of rows";
  EXPECT_FALSE(pays(80'000, 100, 1, 4)) << "many lengths, but short";
  EXPECT_FALSE(pays(1'000'000, 100, 27, 27)) << "x is far away";
  EXPECT_FALSE(pays(1'000'000, 100, 5, 9)) << "x is far away";
  EXPECT_TRUE(pays(1'000'000, 1, 27, 27)) << "x is large, but a row's elements are adjacent";
  EXPECT_FALSE(pays(1'000'000, 8, 27, 27)) << "one element per cache line";
  EXPECT_TRUE(pays_by_fours(make_block<float>(pattern_of(1'000'000, 8, 27, 27))))
      << "two elements per cache line";
  EXPECT_FALSE(pays_by_fours(make_block<std::complex<double>>({"complex", 4, {{0, 1, 2, 3}}})));
  EXPECT_FALSE(pays_by_fours(Csr<double>{}));
}

}  // namespace
}  // namespace spmv::test
