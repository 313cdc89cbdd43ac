// Memory predictions, ids beyond 32 bits, and the refusal of too few ranks.
#include "load/memory_needs.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "dist/prepare/number_columns.hpp"
#include "dist/row_partition.hpp"
#include "io/generate/generator.hpp"

namespace spmv {
namespace {

RankShare ten_rows() {
  RankShare share;
  share.rows = 10;
  share.cols = 12;
  share.nonzeros = 100;
  share.ghosts = 5;
  return share;
}

TEST(MemoryNeeds, PartsByHand) {
  const MemoryNeeds n = memory_needs(ten_rows());
  EXPECT_EQ(n.entries, 0);
  EXPECT_EQ(n.rows, 100 * (8 + 8) + 10 * 8);
  EXPECT_EQ(n.reference + n.graph + n.first_rank_graph + n.moved, 0);
  EXPECT_EQ(n.block, 100 * (4 + 8) + 10 * 8 + 10 * 8);
  EXPECT_EQ(n.layout, 100 * (4 + 8) + 10 * 8);
  EXPECT_EQ(n.formats, n.layout);
  EXPECT_EQ(n.vectors, (3 * (12 + 5) + 10) * 8);
  EXPECT_EQ(n.halo, 5 * (8 + 4 + 4));
  EXPECT_EQ(n.staging, 3 * 5 * 8);
  EXPECT_EQ(n.device(), n.formats + n.vectors);
}

TEST(MemoryNeeds, WhatIsDoneCostsItsPart) {
  RankShare share = ten_rows();
  share.value_bytes = 4;
  share.from_file = true;
  EXPECT_EQ(memory_needs(share).entries, 100 * (16 + 4) + 10 * 16);
  share.travelling = 0.5;
  EXPECT_EQ(memory_needs(share).entries, 100 * (16 + 4) * 2 + 10 * 16);
  share.verified = true;
  EXPECT_EQ(memory_needs(share).reference, 3 * 2 * 4 * 10);
  share.partitioned = true;
  EXPECT_EQ(memory_needs(share).graph, 100 * 32 + 10 * 16);
  EXPECT_EQ(memory_needs(share).first_rank_graph, 0);
  share.first_rank = true;
  share.all_nonzeros = 1000;
  EXPECT_GT(memory_needs(share).first_rank_graph, 4000);
  share.format_bytes = 7777;
  EXPECT_EQ(memory_needs(share).formats, 7777);
}

TEST(MemoryNeeds, ThePeakIsThatOfTheWorstTime) {
  MemoryNeeds n;
  n.program = 1;
  n.entries = 100;
  n.rows = 10;
  EXPECT_EQ(n.host_peak(true), 111);
  n.graph = 150;
  n.reference = 2;
  EXPECT_EQ(n.host_peak(true), 163);
  n.moved = 200;
  n.block = 20;
  EXPECT_EQ(n.host_peak(true), 233);
  n.formats = 500;
  n.vectors = 1000;
  EXPECT_EQ(n.host_peak(true), 1523);
  EXPECT_EQ(n.host_peak(false), 523);  // formats are built on the host
}

TEST(MemoryNeeds, ARankNumbersItsOwnWith32Bits) {
  constexpr gidx most = std::numeric_limits<lidx>::max();
  EXPECT_EQ(least_ranks({0, 0}), 1);
  EXPECT_EQ(least_ranks({most, 1}), 1);
  EXPECT_EQ(least_ranks({most + 1, 1}), 2);
  EXPECT_EQ(least_ranks({1, 3 * most + 1}), 4);
  require_enough_ranks({most, most}, 1);
  for (const Shape& shape : {Shape{8'000'000'000, 8'000'000'000}, {5, 8'000'000'000}, {8'000'000'000, 5}}) {
    require_enough_ranks(shape, 4);
    EXPECT_LE(RowPartition::even(shape.rows, 4).count(0), most);
    try {
      require_enough_ranks(shape, 3);
      ADD_FAILURE() << "three ranks were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::memory);
      EXPECT_NE(std::string(error.what()).find("at least 4 ranks"), std::string::npos) << error.what();
    }
  }
}

TEST(Beyond32Bits, RowsNearTheEndOfALargeMatrix) {
  const auto source = make_generator("stencil7:2000,2000,2000");
  const gidx all = 8'000'000'000, count = 5000;
  ASSERT_EQ(source->shape().rows, all);
  RowBlock<double> rows = generate_rows<double>(*source, all - count, count);
  EXPECT_EQ(rows.first_row, all - count);
  EXPECT_EQ(rows.col[static_cast<std::size_t>(rows.row_ptr[count - 1])], all - 1 - 4'000'000);
  EXPECT_EQ(rows.col.back(), all - 1);
  const NumberedRows<double> numbered = number_columns(std::move(rows), all - count, count);
  // The ghosts: for every row the point one plane before; for the first 2000 the one a line before.
  EXPECT_EQ(numbered.ghosts.size(), 5000u + 2000u);
  EXPECT_EQ(numbered.ghosts.front(), all - count - 4'000'000);
  EXPECT_EQ(numbered.ghosts.back(), all - count - 1);
  EXPECT_EQ(numbered.block.rows, count);
  EXPECT_EQ(numbered.block.cols, count + 7000);
  const auto last = static_cast<std::size_t>(numbered.block.row_ptr[count - 1]);
  EXPECT_EQ(numbered.block.col[last], count + 4999);  // its plane's ghost is the last of the first 5000
  EXPECT_EQ(numbered.block.col.back(), count - 1);
}

TEST(Beyond32Bits, ARanksPartThatIsTooLongIsRefused) {
  RowBlock<double> rows;
  rows.row_ptr = {0, 1};
  rows.col = {gidx{1} << 40};
  rows.value = {1};
  try {
    number_columns(std::move(rows), gidx{1} << 40, gidx{5} << 31);
    ADD_FAILURE() << "accepted more columns than 32 bits can number";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("6 times as many ranks"), std::string::npos) << error.what();
  }
}

TEST(Beyond32Bits, OwnersOfManyRows) {
  const RowPartition rows = RowPartition::even(8'000'000'000, 5);
  for (const gidx id :
       {gidx{0}, gidx{2'147'483'647}, gidx{2'147'483'648}, gidx{4'294'967'296}, gidx{7'999'999'999}}) {
    const int owner = rows.owner(id);
    EXPECT_EQ(owner, id / 1'600'000'000);
    EXPECT_TRUE(id >= rows.first(owner) && id < rows.first(owner + 1));
  }
}

}  // namespace
}  // namespace spmv
