// The arrays that formats store, against hand-made ones, and what formats refuse.
#include <algorithm>
#include <complex>
#include <numeric>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/error.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tiles/tiles.hpp"
#include "support/block_battery.hpp"

namespace spmv {
namespace {

using Order = std::vector<lidx>;
using Lengths = std::vector<lidx>;

/// Rows of `lengths` elements: columns 0, 1, ... and values 10 * row + column + 1.
Csr<double> staircase(const std::vector<lidx>& lengths) {
  Csr<double> block;
  block.rows = static_cast<lidx>(lengths.size());
  for (lidx row = 0; row < block.rows; ++row) {
    for (lidx j = 0; j < lengths[row]; ++j) {
      block.col.push_back(j);
      block.value.push_back(10.0 * row + j + 1);
    }
    block.cols = std::max(block.cols, lengths[row]);
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

const Format<double>& format_named(const char* name) {
  for (const Format<double>& format : formats<double>())
    if (std::string(format.name) == name) return format;
  throw std::runtime_error(name);
}

/// Fails unless making the format throws an Error with this code and a message that contains `part`.
void expect_refused(const char* format, const Csr<double>& block, const std::vector<lidx>& row_list,
                    const FormatOptions& options, ExitCode code, const std::string& part) {
  try {
    format_named(format).make({block, row_list, options, make_host_backend(DeviceRequest{})});
    ADD_FAILURE() << format << " accepts it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

/// The arrays of a plan after placing a block; padding has value 0 and column 0.
struct Placed {
  std::vector<lidx> col;
  std::vector<double> value;
};

template <class Plan>
Placed place(const Plan& plan, const Csr<double>& block) {
  Placed placed{std::vector<lidx>(plan.stored), std::vector<double>(plan.stored)};
  DeviceArrays arrays(make_host_backend(DeviceRequest{}));
  fill_host(ColumnsFill<double, typename Plan::Placement>{block_on_host(block, {}), plan.place(arrays),
                                                          placed.col.data(), placed.value.data()});
  return placed;
}

TEST(FormatArrays, StridedIsColumnMajorInWholeWarps) {
  const Lengths lengths = {1, 0, 2};
  const Csr<double> block = staircase(lengths);
  const StridedPlan plan = plan_strided(lengths);
  EXPECT_EQ(plan.stride, 32);
  EXPECT_EQ(plan.stored, 64);
  const Placed a = place(plan, block);
  std::vector<double> value(64, 0.0);
  value[0] = 1;
  value[2] = 21;
  value[32 + 2] = 22;
  EXPECT_EQ(a.value, value);
  EXPECT_EQ(a.col[32 + 2], 1);
}

// Six rows in blocks of four: the first block has the width of its longest row, 4; the second has width 2,
// and is padded to four rows.
TEST(FormatArrays, JaggedPadsBlocksOfRows) {
  const Lengths lengths = {4, 3, 3, 1, 2, 1};
  const Csr<double> block = staircase(lengths);
  const JaggedPlan plan = plan_jagged(lengths, 4);
  EXPECT_EQ(plan.col_start, (std::vector<offset>{0, 8, 16, 20}));
  const Placed a = place(plan, block);
  EXPECT_EQ(a.value, (std::vector<double>{1, 11, 21, 31, 41, 51, 0, 0,  // first elements of rows 0 to 5
                                          2, 12, 22, 0,  42, 0,  0, 0,  // second
                                          3, 13, 23, 0,                 // third, first block only
                                          4, 0,  0,  0}));
  EXPECT_EQ(a.col, (Order{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 2, 2, 2, 0, 3, 0, 0, 0}));
}

// The same in slices of four: the second slice follows the first.
TEST(FormatArrays, SlicedStoresOneSliceAfterTheOther) {
  const Lengths lengths = {4, 3, 3, 1, 2, 1};
  const SlicedPlan plan = plan_sliced(lengths, 4);
  EXPECT_EQ(plan.slice_ptr, (std::vector<offset>{0, 16, 24}));
  EXPECT_EQ(place(plan, staircase(lengths)).value,
            (std::vector<double>{1,  11, 21, 31, 2,  12, 22, 0, 3, 13, 23, 0, 4, 0, 0, 0,  //
                                 41, 51, 0,  0,  42, 0,  0,  0}));
}

TEST(FormatArrays, JaggedOfOneRowBlocksHasNoPadding) {
  EXPECT_EQ(plan_jagged({5, 4, 4, 1, 0, 0}, 1).stored, 14);
}

// [Kreutzer 2012, sect. 2.1]: one full row and one element in all others takes (b_r + 1) N - b_r elements.
TEST(FormatArrays, JaggedOfTheExtremeCase) {
  Lengths lengths(96, 1);
  lengths[0] = 96;
  EXPECT_EQ(plan_jagged(lengths, 32).stored, 33 * 96 - 32);
}

TEST(FormatArrays, SortIsStableDescendingAndKeepsItsWindow) {
  const Lengths lengths = {1, 3, 0, 3, 1, 2, 5};
  EXPECT_EQ(sorted_rows(lengths, 7), (Order{6, 1, 3, 5, 0, 4, 2}));
  EXPECT_EQ(sorted_rows(lengths, 1000), (Order{6, 1, 3, 5, 0, 4, 2}));
  EXPECT_EQ(sorted_rows(lengths, 3), (Order{1, 0, 2, 3, 5, 4, 6}));
  EXPECT_TRUE(sorted_rows(lengths, 1).empty());
  EXPECT_TRUE(sorted_rows({}, 8).empty());
}

// Enough rows that every thread gets some; the order must not depend on the number of threads.
TEST(FormatArrays, SortOfManyRowsIsStable) {
  Lengths lengths(5000);
  for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] = static_cast<lidx>(row * 7919 % 13);
  Order expected(lengths.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](lidx a, lidx b) { return lengths[a] > lengths[b]; });
  const int threads_before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(sorted_rows(lengths, 5000), expected) << threads;
  }
  omp_set_num_threads(threads_before);
}

TEST(FormatArrays, PjdsRefusesUnsortedRowsAndNoBlockRows) {
  expect_refused("pjds", staircase({1, 2}), {}, {.block_rows = 1}, ExitCode::internal, "row_order");
  expect_refused("pjds", staircase({0, 2}), {}, {.block_rows = 1}, ExitCode::internal, "row_order");
  expect_refused("pjds", staircase({3, 1, 2}), {}, {.block_rows = 1}, ExitCode::internal, "row_order");
  expect_refused("pjds", staircase({2, 1}), {}, {.block_rows = 0}, ExitCode::usage, "at least 1, not 0");
  expect_refused("sell", staircase({2, 1}), {}, {.chunk_rows = 6}, ExitCode::usage, "power of two, not 6");
}

TEST(FormatArrays, RowListMustFit) {
  const auto host = make_host_backend(DeviceRequest{});
  for (const Format<double>& format : formats<double>()) {
    if (!why_unusable(format, *host).empty()) continue;
    expect_refused(format.name, staircase({2, 1}), {0}, {}, ExitCode::internal,
                   "1 elements for a block of 2 rows");
  }
}

TEST(FormatArrays, WhatIsUnusableRefusesWithTheSameReason) {
  const auto host = make_host_backend(DeviceRequest{});
  int unusable = 0;
  for (const Format<double>& format : formats<double>()) {
    const std::string reason = why_unusable(format, *host);
    if (reason.empty()) continue;
    ++unusable;
    EXPECT_NE(reason.find(format.name), std::string::npos) << reason;
    expect_refused(format.name, staircase({2, 1}), {}, {}, ExitCode::environment, reason);
  }
  EXPECT_GE(unusable, 3);  // the baselines
}

// A million rows, one of them full: 10^12 elements of 12 bytes. More than 2^32 elements, so that a product in
// 32 bits would overflow and seem to fit.
TEST(FormatArrays, EllpackRRefusesWhatDoesNotFit) {
  std::vector<lidx> lengths(1'000'000, 0);
  lengths[0] = 1'000'000;
  const Csr<double> block = staircase(lengths);
  expect_refused("ellpack_r", block, {}, {}, ExitCode::memory, "use format pjds, sell or csr");
  const auto op = format_named("pjds").make({block, {}, {}, make_host_backend(DeviceRequest{})});
  EXPECT_EQ(op->footprint().stored_elements, 32'000'000);
}

// Rows of 2000, 40, 9 and 3 elements: a tile holds 2048. Then a row of three pieces, the second and third of
// which begin at a cache line, and empty rows.
TEST(FormatArrays, TilesHaveWholeRowsOrPiecesOfOne) {
  std::vector<offset> row_ptr = {0, 2000, 2040, 2049, 2052, 2052 + 2 * 8192 + 1};
  constexpr TileSize most{2048, 300};
  for (int empty = 0; empty < most.rows + 1; ++empty) row_ptr.push_back(row_ptr.back());
  const std::vector<Tile> tiles = make_tiles(row_ptr, most, true);
  ASSERT_EQ(tiles.size(), 7u);
  const auto expect = [&](std::size_t t, lidx row, lidx rows, lidx nonzeros, lidx piece) {
    EXPECT_EQ(tiles[t].row, row) << t;
    EXPECT_EQ(tiles[t].rows, rows) << t;
    EXPECT_EQ(tiles[t].nonzeros, nonzeros) << t;
    EXPECT_EQ(tiles[t].piece, piece) << t;
  };
  expect(0, 0, 2, 2040, 0);
  expect(1, 2, 2, 12, 0);
  expect(2, 4, 0, 8188, 0);
  expect(3, 4, 0, 8192, 1);
  expect(4, 4, 0, 5, 2);
  expect(5, 5, most.rows, 0, 0);
  expect(6, 5 + most.rows, 1, 0, 0);
  EXPECT_EQ(tiles[4].pieces, 3);
  EXPECT_EQ(make_tiles(row_ptr, most, false)[2].rows, 1);
  EXPECT_TRUE(make_tiles({0}, most, true).empty());
  EXPECT_EQ(make_tiles({0, 2052, 2052 + 8192}, most, true).back().piece, 1) << "four too many";
}

/// Rows of `length` nonzeros, but every hundredth has `other`.
std::vector<offset> lengths_but_one(lidx rows, lidx length, lidx other) {
  std::vector<offset> row_ptr{0};
  for (lidx row = 0; row < rows; ++row) row_ptr.push_back(row_ptr.back() + (row % 100 == 3 ? other : length));
  return row_ptr;
}

TEST(FormatArrays, TilesAreStreamedWhereRowsAreAlike) {
  const auto bits_of = [](lidx length) {
    const std::vector<Tile> tiles = make_streamed_tiles(lengths_but_one(1'000'000 / length, length, length));
    return tiles.empty() ? -2 : tiles.front().lane_bits;
  };
  EXPECT_EQ(bits_of(7), 0);
  EXPECT_EQ(bits_of(27), 2);  // 71 rows: 284 of 384 threads, seven nonzeros each
  EXPECT_EQ(bits_of(81), 4);
  EXPECT_EQ(bits_of(160), 5);
  EXPECT_EQ(bits_of(314), 6);  // six rows, two warps each
  EXPECT_EQ(bits_of(640), 7);
  EXPECT_EQ(bits_of(961), -2) << "a tile would hold a single row";
  EXPECT_EQ(bits_of(1921), -2) << "longer than a tile";
  EXPECT_TRUE(make_streamed_tiles(lengths_but_one(10'000, 27, 27)).empty()) << "too few for a GPU";
  EXPECT_FALSE(make_streamed_tiles(lengths_but_one(300'000, 5, 25)).empty());
  EXPECT_TRUE(make_streamed_tiles(lengths_but_one(300'000, 5, 26)).empty())
      << "a row of 26 among rows of five";
  EXPECT_TRUE(make_streamed_tiles({0}).empty());
}

template <class T>
bool is_far_away(lidx distance) {
  return reads_x_far_away(
      test::make_block<T>(test::diagonal_pattern("", 3000, 100'000, {0, distance, 2 * distance})));
}

TEST(FormatArrays, XIsFarAwayWhereNeighbouringRowsShareNothingOfIt) {
  const auto constant = [](lidx) { return 20; };
  EXPECT_TRUE(reads_x_far_away(test::make_block<double>(test::random_pattern("", 5000, 100'000, constant))));
  EXPECT_FALSE(reads_x_far_away(test::make_block<double>(test::random_pattern("", 5000, 300, constant))))
      << "rows use the same elements again";
  for (const lidx distance : {1, 1000}) {
    EXPECT_FALSE(is_far_away<float>(distance)) << distance;
    EXPECT_FALSE(is_far_away<double>(distance)) << distance;
    EXPECT_FALSE(is_far_away<std::complex<double>>(distance)) << distance;
  }
  // Of every four of 32 neighbouring rows, two or three have a column in a sector of their own: 17 and 25
  // sectors for 32 doubles.
  const auto spread = [](lidx of_four) {
    test::Pattern pattern{"", 1'000'000, {}};
    for (lidx i = 0; i < 3200; ++i) pattern.rows.push_back({i % 4 < of_four ? 500 + 64 * i : 0});
    return test::make_block<double>(pattern);
  };
  EXPECT_FALSE(reads_x_far_away(spread(2)));
  EXPECT_TRUE(reads_x_far_away(spread(3)));
  EXPECT_FALSE(reads_x_far_away(test::make_block<double>(test::random_pattern("", 0, 0, constant))));
  EXPECT_FALSE(
      reads_x_far_away(test::make_block<double>(test::random_pattern("", 40, 9, [](lidx) { return 0; }))));
}

TEST(FormatArrays, TilesExchangeWhereTheBoundaryIsSmallAndFits) {
  TilesView<double> interior{}, boundary{};
  interior.tiles = 400;
  interior.items = few_tile_items;
  boundary.tiles = 100;
  boundary.items = 2;
  EXPECT_TRUE(can_fuse(interior, boundary));
  boundary.tiles = 101;
  EXPECT_FALSE(can_fuse(interior, boundary)) << "only half of a GPU would multiply";
  interior.tiles = 1;
  boundary.tiles = 1;
  EXPECT_TRUE(can_fuse(interior, boundary));
  boundary.items = most_tile_items;
  EXPECT_FALSE(can_fuse(interior, boundary)) << "no room for 2048 nonzeros";
  interior.items = most_tile_items;
  EXPECT_TRUE(can_fuse(interior, boundary));
  interior.items = few_tile_items;
  boundary.items = few_tile_items;
  boundary.streamed = true;
  EXPECT_FALSE(can_fuse(interior, boundary)) << "no room for 1920";
  interior.streamed = true;
  EXPECT_TRUE(can_fuse(interior, boundary));
}

TEST(FormatArrays, ThreadsOfATileTakeFewerNonzerosOfSmallAndOfLargeBlocks) {
  EXPECT_EQ(tile_items(100'000), 2);
  EXPECT_EQ(tile_items(300'000), few_tile_items);
  EXPECT_EQ(tile_items(1'500'000), few_tile_items);
  EXPECT_EQ(tile_items(3'000'000), most_tile_items);
  EXPECT_EQ(tile_items(6'000'000), few_tile_items);
}

TEST(FormatArrays, EndsOfRowsAreCountedFromTheirTile) {
  const std::vector<offset> row_ptr = lengths_but_one(100'000, 7, 0);
  const std::vector<Tile> tiles = make_streamed_tiles(row_ptr);
  ASSERT_GT(tiles.size(), 2u);
  const std::vector<std::uint16_t> ends = make_row_ends(row_ptr, tiles);
  ASSERT_EQ(ends.size(), 100'000u);
  offset row = 0;
  for (const Tile& tile : tiles) {
    EXPECT_EQ(tile.row, row);
    for (int r = 0; r < tile.rows; ++r, ++row)
      ASSERT_EQ(tile.first + ends[static_cast<std::size_t>(row)], row_ptr[static_cast<std::size_t>(row) + 1])
          << row;
  }
  EXPECT_EQ(row, 100'000);
}

TEST(FormatArrays, RowsThatAreCutHaveNoEnds) {
  const std::vector<offset> row_ptr = {0, 3, 3, 103, 105};  // the third row is longer than a tile
  EXPECT_EQ(make_row_ends(row_ptr, make_tiles(row_ptr, {10, 1024}, true)),
            (std::vector<std::uint16_t>{3, 3, 0, 2}));
}

TEST(FormatArrays, PopularColumnsFirst) {
  const Csr<double> block = staircase({1, 2, 0, 3});  // columns 0 to 2 occur 3, 2 and 1 times, column 3 never
  EXPECT_TRUE(tiles_row_order(block, FormatOptions{}).empty());
  EXPECT_EQ(tiles_row_order(block, {.popular_first = true}), (Order{0, 1, 2, 3}));
  Csr<double> mirrored = block;
  for (lidx& col : mirrored.col) col = 3 - col;
  mirrored.cols = 4;
  EXPECT_EQ(tiles_row_order(mirrored, {.popular_first = true}), (Order{3, 2, 1, 0}));
}

TEST(FormatArrays, FootprintAndTraffic) {
  const Csr<double> block = staircase({4, 3, 3, 1, 2, 1});  // 14 nonzeros, 6 x 4
  const auto host = make_host_backend(DeviceRequest{});
  const auto csr = format_named("csr").make({block, {}, {}, host});
  constexpr int flags = 6, not_read_again = 3 * 4;  // on the host: row 2 has row 1's columns
  EXPECT_EQ(csr->footprint().bytes, 14u * 12 + 7 * 8 + flags);
  EXPECT_EQ(csr->traffic(Update::assign).matrix_bytes, 14 * 12 + 7 * 8 + flags - not_read_again);
  EXPECT_EQ(csr->traffic(Update::assign).vector_bytes, (6 + 4) * 8);
  EXPECT_EQ(csr->traffic(Update::add).vector_bytes, (6 + 4 + 6) * 8);
  EXPECT_EQ(csr->traffic(Update::add).flops, 28);
  EXPECT_EQ(csr->traffic(Update::add, 5).matrix_bytes, csr->traffic(Update::add).matrix_bytes);
  EXPECT_EQ(csr->traffic(Update::add, 5).vector_bytes, 5 * (6 + 4 + 6) * 8);
  EXPECT_EQ(csr->traffic(Update::add, 5).flops, 5 * 28);
  const auto coo = format_named("coo").make({block, {}, {}, host});
  EXPECT_EQ(coo->traffic(Update::assign, 5).matrix_bytes, 5 * coo->traffic(Update::assign).matrix_bytes);
  const auto ellpack = format_named("ellpack_r").make({block, {0, 1, 2, 3, 4, 5}, {}, host});
  const double chunks = 2 * 8;  // on the host: begin and end of one chunk of rows
  EXPECT_EQ(ellpack->footprint().bytes, 32u * 4 * 12 + 6 * 4 + 6 * 4 + chunks);
  EXPECT_EQ(ellpack->footprint().stored_elements, 128);
  EXPECT_EQ(ellpack->traffic(Update::assign).matrix_bytes, 14 * 12 + 6 * 4 + 6 * 4 + chunks);
  const auto pjds = format_named("pjds").make({block, {}, {.block_rows = 4}, host});
  EXPECT_EQ(pjds->footprint().bytes, 24u * 12 + 4 * 8 + 6 * 4 + chunks);
  EXPECT_EQ(pjds->traffic(Update::assign).matrix_bytes, 14 * 12 + 4 * 8 + 6 * 4 + chunks);
}

TEST(FormatArrays, CsrThreadsFollowTheRowLength) {
  EXPECT_EQ(csr_threads_per_row(100, 100), 1);
  EXPECT_EQ(csr_threads_per_row(100, 700), 2);
  EXPECT_EQ(csr_threads_per_row(100, 2000), 8);
  EXPECT_EQ(csr_threads_per_row(100, 7900), 8);
  EXPECT_EQ(csr_threads_per_row(100, 8000), 16);
  EXPECT_EQ(csr_threads_per_row(100, 15900), 16);
  EXPECT_EQ(csr_threads_per_row(100, 16000), 32);
  EXPECT_EQ(csr_threads_per_row(1, 1'000'000), 32);
}

}  // namespace
}  // namespace spmv
