// The arrays passed to cuSPARSE, against hand-made ones, and multiplied as cuSPARSE would.
#include <algorithm>
#include <complex>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "support/block_battery.hpp"

namespace spmv::test {
namespace {

/// Rows with columns {0, 2}, {1}, {0, 1, 3}; values 1 to 6.
Csr<double> small() {
  Csr<double> block;
  block.rows = 3;
  block.cols = 4;
  block.row_ptr = {0, 2, 3, 6};
  block.col = {0, 2, 1, 0, 1, 3};
  block.value = {1, 2, 3, 4, 5, 6};
  return block;
}

TEST(CusparseArrays, SlicesArePaddedWithColumnMinusOne) {
  const SlicedEll<double> a = build_sliced_ell(small(), 2);
  EXPECT_EQ(a.slice_start, (std::vector<offset>{0, 4, 10}));
  EXPECT_EQ(a.col, (std::vector<lidx>{0, 1, 2, -1, 0, -1, 1, -1, 3, -1}));
  EXPECT_EQ(a.value, (std::vector<double>{1, 3, 2, 0, 4, 0, 5, 0, 6, 0}));
}

TEST(CusparseArrays, BlocksAreFilledWithZerosRowByRow) {
  const BlockElements<double> a = build_block_csr(small(), 2);
  EXPECT_EQ(a.row_ptr, (std::vector<offset>{0, 2, 4}));
  EXPECT_EQ(a.col, (std::vector<lidx>{0, 1, 0, 1}));
  EXPECT_EQ(a.value, (std::vector<double>{1, 0, 0, 3,  // rows 0 and 1, columns 0 and 1
                                          2, 0, 0, 0,  // columns 2 and 3
                                          4, 5, 0, 0,  // row 2 and one past the matrix
                                          0, 6, 0, 0}));
}

TEST(CusparseArrays, SizesFollowTheOptions) {
  EXPECT_EQ(cusparse_slice_rows({}), 32);
  EXPECT_EQ(cusparse_slice_rows({.chunk_rows = 8}), 8);
  EXPECT_EQ(cusparse_slice_rows({.chunk_rows = 1}), 32);
  EXPECT_EQ(cusparse_slice_rows({.chunk_rows = 24}), 32);
  const std::vector<BlockCover> covers = {{2, 1000, 0.5}, {3, 300, 0.7}, {4, 290, 0.4}};
  EXPECT_EQ(cusparse_block_size(covers, 300, sizeof(double), {}), 3);
  EXPECT_EQ(cusparse_block_size(covers, 300, sizeof(double), {.entry_block = 4}), 4);
  EXPECT_THROW(cusparse_block_size(covers, 300, sizeof(double), {.entry_block = 7}), Error);
  EXPECT_THROW(build_block_csr(small(), 1), Error);
}

/// Every nonzero of `block` as (row, column, value), sorted.
struct Nonzero {
  lidx row, col;
  double value;
  bool operator<(const Nonzero& other) const {
    return std::tie(row, col, value) < std::tie(other.row, other.col, other.value);
  }
  bool operator==(const Nonzero& other) const {
    return row == other.row && col == other.col && value == other.value;
  }
};

std::vector<Nonzero> nonzeros_of(const Csr<double>& block) {
  std::vector<Nonzero> found;
  for (lidx row = 0; row < block.rows; ++row)
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k)
      found.push_back({row, block.col[k], block.value[k]});
  std::sort(found.begin(), found.end());
  return found;
}

TEST(CusparseArrays, HoldEveryNonzeroOnce) {
  for (const Pattern& pattern : block_patterns()) {
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    const std::vector<Nonzero> expected = nonzeros_of(block);
    for (const lidx slice_rows : {2, 32}) {
      const SlicedEll<double> a = build_sliced_ell(block, slice_rows);
      std::vector<Nonzero> found;
      for (std::size_t s = 0; s + 1 < a.slice_start.size(); ++s)
        for (offset k = a.slice_start[s]; k < a.slice_start[s + 1]; ++k)
          if (a.col[k] >= 0)
            found.push_back(
                {static_cast<lidx>(s) * slice_rows + static_cast<lidx>((k - a.slice_start[s]) % slice_rows),
                 a.col[k], a.value[k]});
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << "slices of " << slice_rows;
    }
    for (int size = 2; size <= 6; ++size) {
      const BlockElements<double> a = build_block_csr(block, size);
      std::vector<Nonzero> found;
      for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
        EXPECT_TRUE(std::is_sorted(a.col.begin() + a.row_ptr[i], a.col.begin() + a.row_ptr[i + 1]));
        for (offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
          for (int e = 0; e < size * size; ++e)
            if (const double value = a.value[k * size * size + e]; value != 0)
              found.push_back({static_cast<lidx>(i) * size + e / size, a.col[k] * size + e % size, value});
      }
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << "blocks of " << size;
    }
  }
}

}  // namespace
}  // namespace spmv::test
