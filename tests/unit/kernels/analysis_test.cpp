// What the analysis of a block predicts, against what the formats build.
#include "kernels/tune/analysis.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/format.hpp"
#include "kernels/parts/slice_sample.hpp"
#include "kernels/parts/value_set.hpp"
#include "kernels/tune/format_models.hpp"
#include "support/packed_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
Csr<T> with_values(const Pattern& pattern, const std::vector<T>& pool) {
  Csr<T> block = make_block<T>(pattern);
  for (std::size_t k = 0; k < block.value.size(); ++k) block.value[k] = pool[(k * 31 + k / 97) % pool.size()];
  return block;
}

/// Fails unless the analysis predicts the shares of each kind among the slices that packing makes.
template <class T>
void expect_shares_as_packed(const Csr<T>& block) {
  std::vector<Slice> slices;
  pack_and_unpack(block, {}, {}, make_host_backend(DeviceRequest{}), &slices);
  std::array<double, 4> columns{}, values{};
  double constant_diagonals = 0;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const offset first = static_cast<offset>(s) * slice_rows;
    const offset last = std::min<offset>(first + slice_rows, block.rows);
    const double share = static_cast<double>(block.row_ptr[last] - block.row_ptr[first]) /
                         static_cast<double>(block.nonzeros());
    columns[static_cast<std::size_t>(slices[s].columns())] += share;
    values[static_cast<std::size_t>(slices[s].values())] += share;
    if (slices[s].columns() == ColumnKind::diagonals && slices[s].values() == ValueKind::constant)
      constant_diagonals += share;
  }
  const Analysis analysis = analyze(block);
  for (std::size_t kind = 0; kind < columns.size(); ++kind) {
    EXPECT_NEAR(analysis.share_by_columns[kind], columns[kind], 1e-12) << "columns of kind " << kind;
    EXPECT_NEAR(analysis.share_by_values[kind], values[kind], 1e-12) << "values of kind " << kind;
  }
  EXPECT_NEAR(analysis.constant_share, constant_diagonals, 1e-12);
}

template <class T>
void check_shares() {
  std::vector<Pattern> patterns = block_patterns();
  // More diagonals than a slice may have, though no more than the elements of its longest row.
  std::vector<lidx> many(70);
  for (std::size_t d = 0; d < many.size(); ++d) many[d] = static_cast<lidx>(3 * d);
  patterns.push_back(diagonal_pattern("70 diagonals", 64, 400, many));
  // Diagonals in descending order in all rows.
  patterns.push_back(diagonal_pattern("descending", 64, 80, {9, 4, 0}));
  for (const Pattern& pattern : patterns) {
    if (make_block<T>(pattern).nonzeros() == 0) continue;
    for (const std::vector<T>& pool : {value_pool<T>(1, false), value_pool<T>(30, false),
                                       value_pool<T>(300, true), value_pool<T>(1000, false)}) {
      SCOPED_TRACE("'" + pattern.name + "', " + std::to_string(pool.size()) + " values, " + value_name<T>());
      expect_shares_as_packed(with_values(pattern, pool));
    }
  }
}

TEST(Analysis, KnowsHowSlicesArePacked) {
  check_shares<float>();
  check_shares<double>();
  check_shares<std::complex<double>>();
}

// +0 and -0 are equal but have different bits: a diagonal with both does not have one value.
TEST(Analysis, ValuesDifferWhereTheirBitsDo) {
  Csr<double> block = make_block<double>(diagonal_pattern("", 64, 64, {0}));
  for (std::size_t k = 0; k < block.value.size(); ++k) block.value[k] = k % 2 == 0 ? 0.0 : -0.0;
  EXPECT_EQ(analyze(block).constant_share, 0);
  EXPECT_EQ(analyze(block).share(ColumnKind::diagonals), 1);
}

// A slice with near columns counts in both shares, one that needs 16 bits in one of them, a wider one in
// neither.
TEST(Analysis, DistancesAreThoseOfTheSlices) {
  Pattern pattern{"three slices", 200'000, {}};
  for (lidx row = 0; row < 96; ++row) {
    const lidx slice = row / 32;
    const std::array<lidx, 3> step{1, 1'000, 5'000};
    pattern.rows.emplace_back();
    for (lidx k = 0; k < 1 << slice; ++k) pattern.rows.back().push_back(row % 32 * step[slice] + k);
  }
  const Analysis analysis = analyze(make_block<double>(pattern));
  EXPECT_DOUBLE_EQ(analysis.distance8_share, 1.0 / 7);
  EXPECT_DOUBLE_EQ(analysis.distance16_share, 3.0 / 7);
}

// The bytes by which formats are ranked are those that their operators report, except for what only the host
// or only CUDA needs, and 8 bytes per slice or column.
TEST(Analysis, CostMovesTheBytesOfTheProduct) {
  const Pattern pattern = random_pattern("", 6000, 6000, [](lidx i) { return 20 + i % 8; });
  const Csr<double> block = make_block<double>(pattern);
  const Analysis analysis = analyze(block);
  for (const Format<double>& format : formats<double>()) {
    const auto backend = make_host_backend(DeviceRequest{});
    if (!why_unusable(format, *backend).empty()) continue;
    SCOPED_TRACE(format.name);
    const auto order = format.row_order(block, {});
    const Csr<double> in_order = make_block<double>(pattern, order);
    const auto op = format.make({in_order, {}, {}, backend});
    const Traffic traffic = op->traffic(Update::assign);
    const Cost cost = cost_of(format.name, analysis, {});
    EXPECT_NEAR(cost.moved_bytes / (traffic.matrix_bytes + traffic.vector_bytes), 1, 0.05);
    EXPECT_NEAR(cost.bytes / static_cast<double>(op->footprint().bytes), 1, 0.05);
  }
}

/// Different values of col / size in `count` rows from `first` on, counted with a set.
template <class T>
offset groups_in(const Csr<T>& block, lidx first, lidx count, lidx size) {
  std::set<lidx> groups;
  for (offset k = block.row_ptr[first]; k < block.row_ptr[std::min(first + count, block.rows)]; ++k)
    groups.insert(block.col[k] / size);
  return static_cast<offset>(groups.size());
}

TEST(Analysis, BlocksStripsAndSectorsAreThoseThatASetCounts) {
  std::vector<Pattern> patterns = block_patterns();
  patterns.push_back(random_pattern("far apart", 200, 1 << 22, [](lidx i) { return i % 7; }));
  patterns.push_back(random_pattern("one row full", 70, 5000, [](lidx i) { return i == 33 ? 5000 : 2; }));
  for (const Pattern& pattern : patterns) {
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    if (block.nonzeros() == 0) continue;
    const Analysis analysis = analyze(block);
    for (const BlockCover& cover : analysis.block_covers) {
      offset blocks = 0;
      for (lidx row = 0; row < block.rows; row += cover.size)
        blocks += groups_in(block, row, cover.size, cover.size);
      EXPECT_EQ(cover.blocks, blocks) << cover.size;
    }
    offset strips = 0;
    for (lidx row = 0; row < block.rows; row += half_warp)
      strips += groups_in(block, row, half_warp, strip_cols);
    EXPECT_EQ(analysis.strips, strips);
    offset sectors = 0;
    for (lidx row = 0; row < block.rows; row += slice_rows) sectors += groups_in(block, row, slice_rows, 4);
    EXPECT_NEAR(analysis.sectors_per_nonzero * static_cast<double>(block.nonzeros()),
                static_cast<double>(sectors), 1e-6);
  }
}

// Rows with three equal values near the diagonal; and long rows in one of the slices that a shallow analysis
// samples. That slice is not typical, and must not count.
TEST(Analysis, AShallowOnePassesOverASliceThatIsFarHeavierThanOthers) {
  const AnalysisDepth shallow{32, true, false};
  Pattern pattern{"one heavy slice", 70'000, {}};
  for (lidx row = 0; row < 64'000; ++row) {
    pattern.rows.emplace_back();
    for (lidx k = 0; k < (row < 3 ? 4000 : 3); ++k)
      pattern.rows.back().push_back(row + (row < 3 ? 13 - 5 * row : 1) * k);
  }
  const Csr<double> heavy = make_block<double>(pattern);
  EXPECT_EQ(analyze(heavy, shallow).distance8_share, 1);
  EXPECT_LT(analyze(heavy).distance8_share, 1);
  for (std::vector<lidx>& row : pattern.rows) row.resize(3);
  EXPECT_EQ(analyze(make_block<double>(pattern), shallow).distance8_share, 1);
  // Only every 64th slice, the sampled ones, has nonzeros.
  const Csr<double> all_heavy = make_block<double>(
      random_pattern("", 2048 * 32, 5000, [](lidx i) { return i % 2048 == 0 ? 2000 : 0; }));
  EXPECT_EQ(SliceSample<double>(all_heavy, 32).count(), 32) << "the sample must have only heavy slices";
  EXPECT_GT(analyze(all_heavy, shallow).gather_sectors, 0);
}

TEST(Analysis, AShallowOneFindsManyValuesThatFewSlicesDoNotHave) {
  Csr<double> block = make_block<double>(diagonal_pattern("", 64'000, 64'002, {0, 1, 2}));
  const AnalysisDepth shallow{32, true, false};
  std::fill(block.value.begin(), block.value.end(), 7);
  EXPECT_EQ(analyze(block, shallow).distinct_values, 1);
  // Every slice has one value; together they have 300.
  for (std::size_t k = 0; k < block.value.size(); ++k) block.value[k] = static_cast<double>(k / 96 % 300);
  EXPECT_EQ(analyze(block, shallow).distinct_values, most_dictionary_values + 1);
}

}  // namespace
}  // namespace spmv::test
