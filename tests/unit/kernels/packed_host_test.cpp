// Packed slices on the host: both ways of loading x, over slices of every kind.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "support/packed_battery.hpp"
#include "support/packed_columns_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class PackedHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PackedHost, ValueTypes);

/// A block with so many different values; the half-size type holds them exactly or not.
template <class T>
Csr<T> block_of_kinds(const Pattern& pattern, int kinds, bool exact) {
  Csr<T> block = make_block<T>(pattern);
  for (std::size_t k = 0; k < block.value.size(); ++k) {
    const auto number = static_cast<RealOf<T>>(1 + (k * 31 + k / 97) % static_cast<std::size_t>(kinds));
    block.value[k] = exact ? T(number) : T(RealOf<T>(1) / number);
  }
  return block;
}

/// Unreferenced elements of x are NaN: a lane without an element must not multiply another lane's.
template <class T>
std::vector<T> x_of(const Csr<T>& block) {
  std::vector<T> x(static_cast<std::size_t>(block.cols), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  for (const lidx col : block.col) x[col] = T(RealOf<T>(1) / RealOf<T>(7 + col % 50));
  return x;
}

template <class T>
std::vector<T> product(const PackedView<T>& view, const std::vector<T>& x, bool by_gathers) {
  std::vector<T> y(static_cast<std::size_t>(view.rows), T(-1));
  multiply_host(view, x.data(), y.data(), Update::assign, by_gathers);
  return y;
}

template <class T>
void check(const Csr<T>& block) {
  const Packed<T> packed = pack_block(block, {}, {}, make_host_backend(DeviceRequest{}));
  const std::vector<T> x = x_of(block);
  const std::vector<T> gathered = product(packed.view, x, true), loaded = product(packed.view, x, false);
  EXPECT_TRUE(same_bits(gathered, loaded));
  for (lidx row = 0; row < block.rows; ++row) {
    T sum{};
    RealOf<T> size = 0;
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) {
      sum += block.value[k] * x[block.col[k]];
      size += std::abs(block.value[k] * x[block.col[k]]);
    }
    EXPECT_LE(std::abs(loaded[row] - sum), 1e-5 * size) << row;
  }
}

TYPED_TEST(PackedHost, BothWaysOfLoadingXGiveTheSameBits) {
  std::vector<Pattern> patterns = block_patterns();
  patterns.push_back(grid_pattern("grid", 33, 20));
  for (const lidx cols : {5000, 300000})  // 16-bit distances, and full columns
    patterns.push_back(random_pattern("even rows", 64, cols, [](lidx) { return 9; }));
  for (const Pattern& pattern : patterns)
    for (const int kinds : {1, 30, 1000})
      for (const bool exact : {false, true}) {
        SCOPED_TRACE("'" + pattern.name + "', " + std::to_string(kinds) + (exact ? " short" : "") +
                     " values");
        check(block_of_kinds<TypeParam>(pattern, kinds, exact));
      }
}

TYPED_TEST(PackedHost, SeveralColumns) {
  check_packed_columns<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(PackedHost, EverySliceColumnHasItsConstant) {
  constexpr lidx rows = 70, cols = 1000, length = 7;
  Csr<TypeParam> block;
  block.rows = rows;
  block.cols = cols;
  block.row_ptr = {0};
  for (lidx row = 0; row < rows; ++row) {
    for (lidx j = 0; j < length; ++j) {
      block.col.push_back(j * 140 + (row * 37) % 140);
      block.value.push_back(TypeParam(1) / TypeParam(3 + j));
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  const Packed<TypeParam> packed = pack_block(block, {}, {}, make_host_backend(DeviceRequest{}));
  EXPECT_EQ(packed.view.slice[0].values(), ValueKind::constant);
  check(block);
}

}  // namespace
}  // namespace spmv::test
