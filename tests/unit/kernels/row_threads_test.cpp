#include "kernels/parts/row_threads.hpp"

#include <gtest/gtest.h>

#include "kernels/packed/packed.hpp"
#include "kernels/rows/rows.hpp"

namespace spmv {
namespace {

TEST(RowThreads, FillAGpuWithoutSharingTooFine) {
  EXPECT_EQ(side_by_side_threads_per_row(300'000, 30'000'000), 1) << "there are enough rows";
  EXPECT_EQ(side_by_side_threads_per_row(150'000, 6'000'000), 2);
  EXPECT_EQ(side_by_side_threads_per_row(47'000, 3'500'000), 2) << "four would be too many";
  EXPECT_EQ(side_by_side_threads_per_row(21'000, 800'000), 4);
  EXPECT_EQ(side_by_side_threads_per_row(21'000, 100'000), 1) << "one thread is enough for five elements";
}

TEST(RowThreads, OfPackedSlices) {
  EXPECT_EQ(packed_threads_per_row(100, 100'000, 1), 16) << "at most the warps of a thread block";
  EXPECT_EQ(packed_threads_per_row(47'000, 3'500'000, 1), 2) << "like other sliced formats";
  EXPECT_EQ(packed_threads_per_row(15'000, 400'000, 3), 4) << "many slices";
  EXPECT_EQ(packed_threads_per_row(7'000, 200'000, 3), 16) << "few slices";
  EXPECT_EQ(packed_threads_per_row(216'000, 6'000'000, 3), 2);
  EXPECT_EQ(packed_block_threads(4), 128);
  EXPECT_EQ(packed_block_threads(8), 256) << "more warps than a small block has";
}

TEST(RowThreads, OfCsrVectorHaveTwoAndAQuarterElements) {
  EXPECT_EQ(csr_threads_per_row(100, 900), 4);
  EXPECT_EQ(csr_threads_per_row(100, 899), 2);
}

}  // namespace
}  // namespace spmv
