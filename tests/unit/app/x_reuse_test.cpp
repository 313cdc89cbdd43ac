#include "app/run/x_reuse.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

constexpr std::size_t value_bytes = 8;
constexpr Cache large{1 << 20, 64}, none{0, 8};

/// Alpha for rows of one length with these columns.
double alpha(const std::vector<lidx>& col, lidx row_length, const Cache& cache) {
  std::vector<offset> row_ptr{0};
  while (row_ptr.back() < static_cast<offset>(col.size())) row_ptr.push_back(row_ptr.back() + row_length);
  return alpha_of_pattern(row_ptr, col, value_bytes, cache);
}

/// A band of `width` columns around the diagonal, away from the borders.
std::vector<lidx> band(lidx rows, lidx width) {
  std::vector<lidx> col;
  for (lidx row = 0; row < rows; ++row)
    for (lidx k = 0; k < width; ++k) col.push_back(row + k);
  return col;
}

TEST(XReuse, ABandLoadsEveryElementOnce) {
  EXPECT_NEAR(alpha(band(10000, 10), 10, large), 1.0 / 10, 1e-3) << "1 / N_nzr";
  EXPECT_NEAR(alpha(band(10000, 3), 3, large), 1.0 / 3, 1e-3);
}

// `none` is a cache of one set: 16 lines of one element each, so no element is still cached when it is used
// again.
TEST(XReuse, WithoutACacheEveryUseIsALoad) {
  std::vector<lidx> far(100000);
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = static_cast<lidx>((i * 40503) % 99991);
  EXPECT_NEAR(alpha(far, 10, none), 1, 1e-3);
}

TEST(XReuse, ScatteredElementsLoadWholeLines) {
  std::vector<lidx> every_eighth(10000);
  for (std::size_t i = 0; i < every_eighth.size(); ++i) every_eighth[i] = static_cast<lidx>(8 * i);
  EXPECT_NEAR(alpha(every_eighth, 10, large), 8, 1e-2);
}

// x has 8 KB and is read again and again in order: it stays in a cache only if the matrix fits, too, that is
// read between two uses.
TEST(XReuse, TheMatrixStreamsThroughTheCache) {
  std::vector<lidx> again;
  for (int pass = 0; pass < 50; ++pass)
    for (lidx j = 0; j < 1024; ++j) again.push_back(j);
  EXPECT_NEAR(alpha(again, 16, {64 << 10, 64}), 1.0 / 50, 0.02);
  EXPECT_NEAR(alpha(again, 16, {10 << 10, 64}), 1, 0.2) << "20 KB are read between two uses";
}

// A cache of 16 lines keeps the element that every other access uses; the others are evicted.
TEST(XReuse, WhatWasUsedLongestAgoGoes) {
  std::vector<lidx> col;
  for (lidx i = 0; i < 5000; ++i) {
    col.push_back(0);
    col.push_back(8 + 8 * (i % 1000));
  }
  EXPECT_NEAR(alpha(col, 10, {0, 64}), 4, 0.01) << "half of the uses load a line of eight elements";
}

TEST(XReuse, NothingToLoad) {
  EXPECT_EQ(alpha_of_pattern({0}, {}, value_bytes, large), 0);
  EXPECT_EQ(alpha_of_pattern({}, {}, value_bytes, large), 0);
}

}  // namespace
}  // namespace spmv::test
