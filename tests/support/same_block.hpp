// Compares two blocks member by member.
#pragma once

#include <gtest/gtest.h>

#include "core/csr.hpp"

namespace spmv::test {

inline void expect_same(const Csr<double>& is, const Csr<double>& expected) {
  EXPECT_EQ(is.rows, expected.rows);
  EXPECT_EQ(is.cols, expected.cols);
  EXPECT_EQ(is.row_ptr, expected.row_ptr);
  EXPECT_EQ(is.col, expected.col);
  EXPECT_EQ(is.value, expected.value);
}

}  // namespace spmv::test
