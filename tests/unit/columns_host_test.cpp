#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "core/value_type.hpp"
#include "kernels/columns/columns.hpp"

namespace spmv::test {
namespace {

/// 75 rows of 0 to 12 elements in slices of 32: whole slices, one that ends early, rows of one length side by side. What is
/// stored behind the ends of rows must not be multiplied.
template <class T>
struct SlicedBlock {
  std::vector<offset> slice_ptr{0};
  std::vector<lidx> row_length, col;
  std::vector<T> value, x;
  std::vector<offset> chunk_ptr;

  SlicedBlock() {
    constexpr lidx rows = 75, cols = 90;
    for (lidx row = 0; row < rows; ++row) row_length.push_back(row < 40 ? 9 : (row * 7) % 13);
    for (lidx first = 0; first < rows; first += 32) {
      constexpr lidx width = 12;
      for (lidx j = 0; j < width; ++j)
        for (lidx row = first; row < first + 32; ++row) {
          const bool there = row < rows && j < row_length[row];
          col.push_back(there ? (row * 5 + j * 11) % cols : 0);
          value.push_back(there ? T(1) / T(3 + row + j) : T(std::nanf("")));
        }
      slice_ptr.push_back(static_cast<offset>(col.size()));
    }
    for (lidx k = 0; k < cols; ++k) x.push_back(T(1) / T(7 + k));
    chunk_ptr = chunk_nonzeros(row_length, 32);
  }
  std::vector<T> product(bool by_gathers) const {
    const SlicedView<T> view{75,         {slice_ptr.data(), 5},
                             0,          row_length.data(),
                             col.data(), value.data(),
                             nullptr,    chunk_ptr.data(),
                             1,          256,
                             4};
    std::vector<T> y(75, T(-1));
    multiply_host(view, x.data(), y.data(), Update::assign, by_gathers);
    return y;
  }
};

template <class T>
class ColumnsHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ColumnsHost, ValueTypes);

TYPED_TEST(ColumnsHost, BothWaysOfLoadingXGiveTheSameBits) {
  const SlicedBlock<TypeParam> block;
  const auto gathered = block.product(true), loaded = block.product(false);
  EXPECT_EQ(std::memcmp(gathered.data(), loaded.data(), loaded.size() * sizeof(TypeParam)), 0);
  for (lidx row = 0; row < 75; ++row) {
    TypeParam sum{};
    for (lidx j = 0; j < block.row_length[row]; ++j) {
      const offset at = block.slice_ptr[row / 32] + 32 * j + row % 32;
      sum += block.value[at] * block.x[block.col[at]];
    }
    EXPECT_LT(std::abs(loaded[row] - sum), 1e-5) << row;
  }
}

}  // namespace
}  // namespace spmv::test
