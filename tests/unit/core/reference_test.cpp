#include "core/reference.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

using Complex = std::complex<double>;

TEST(Reference, ByHand) {
  // y_0 = 2 x_3 - x_1, y_1 = 0, y_2 = 4 x_1.
  const RowBlock<double> block{7, {0, 2, 2, 3}, {3, 1, 1}, {2, -1, 4}};
  const double x1 = x_value<double>(1, 5), x3 = x_value<double>(3, 5);
  const auto reference = reference_product(block, 5);
  ASSERT_EQ(reference.y.size(), 3u);
  EXPECT_DOUBLE_EQ(reference.y[0], 2 * x3 - x1);
  EXPECT_EQ(reference.y[1], 0);
  EXPECT_DOUBLE_EQ(reference.y[2], 4 * x1);
  const double eps = std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(reference.bound[0], 2 * 2 * eps * (std::abs(2 * x3) + std::abs(x1)), 1e-25);
  EXPECT_EQ(reference.bound[1], 0);
}

TEST(Reference, ComplexByHand) {
  const RowBlock<Complex> block{0, {0, 2}, {0, 9}, {{1, 2}, {0, -3}}};
  const Complex expected = Complex(1, 2) * x_value<Complex>(0, 1) + Complex(0, -3) * x_value<Complex>(9, 1);
  const auto reference = reference_product(block, 1);
  EXPECT_NEAR(reference.y[0].real(), expected.real(), 1e-15);
  EXPECT_NEAR(reference.y[0].imag(), expected.imag(), 1e-15);
}

// The reference keeps what double would lose: 1 + 2^-55 - 1.
TEST(Reference, AccumulatesInHigherPrecision) {
  const double x = x_value<double>(4, 0);
  const double small = std::ldexp(1.0, -55);
  const RowBlock<double> block{0, {0, 3}, {4, 4, 4}, {1, small, -1}};
  EXPECT_NEAR(reference_product(block, 0).y[0] / (x * small), 1, 0.01);
}

// A row is not compared if sums on the way to its y may overflow the value type, even if y itself does not.
TEST(Reference, RowsThatOverflowAreFound) {
  constexpr double most = std::numeric_limits<double>::max();
  const RowBlock<double> block{3, {0, 1, 2, 4, 68}, std::vector<gidx>(68, 1), [most] {
                                 std::vector<double> values(68, most);
                                 values[2] = 1, values[3] = -1;
                                 for (std::size_t i = 36; i < 68; ++i) values[i] = -most;
                                 return values;
                               }()};
  const Overflow overflow = find_overflow(reference_product(block, 0));
  EXPECT_EQ(overflow.rows, 1);
  EXPECT_EQ(overflow.first, 3);
  const RowBlock<float> summed{0, {0, 1}, {0}, {std::numeric_limits<float>::infinity()}};
  EXPECT_EQ(find_overflow(reference_product(summed, 0)).rows, 1);
}

template <class T>
class XValues : public testing::Test {};
using ValueTypes = testing::Types<float, double, std::complex<float>, Complex>;
TYPED_TEST_SUITE(XValues, ValueTypes);

TYPED_TEST(XValues, DifferFromColumnToColumnAndFromStepToStep) {
  std::set<std::pair<double, double>> seen;
  for (gidx column = 0; column < 200; ++column)
    for (unsigned number = 0; number < 3; ++number) {
      const std::complex<double> x = std::complex<double>(x_value<TypeParam>(column, number));
      EXPECT_LE(std::abs(x.real()), 1);
      EXPECT_LE(std::abs(x.imag()), 1);
      seen.emplace(x.real(), x.imag());
    }
  EXPECT_GE(seen.size(), 595u);  // 600 of 2^24 values: equal ones are very rare
}

TEST(XValuesOfTypes, AreTheSameInFloatAndDouble) {
  for (gidx column = 0; column < 100; ++column)
    EXPECT_EQ(double{x_value<float>(column, 2)}, x_value<double>(column, 2));
}

TEST(Compare, PassesWithinTheBoundOnly) {
  Reference<double> reference;
  reference.y = {1, 2, 0};
  reference.bound = {0.25, 0.25, 0};
  const double exact[] = {1, 2, 0}, within[] = {1.25, 1.75, 0}, beyond[] = {1.25, 3, 1e-300};
  EXPECT_EQ(compare(exact, reference).rows_wrong, 0);
  EXPECT_EQ(compare(within, reference).rows_wrong, 0);
  const Mismatch mismatch = compare(beyond, reference);
  EXPECT_EQ(mismatch.rows_wrong, 2);
  EXPECT_EQ(mismatch.worst_row, 2);  // with a bound of 0 any error is infinite
}

TEST(Compare, WorstRowIsTheOneFarthestBeyondItsBound) {
  Reference<double> reference;
  reference.y = {0, 0, 0};
  reference.bound = {1, 0.001, 1};
  const double y[] = {3, 0.1, 2};
  const Mismatch mismatch = compare(y, reference);
  EXPECT_EQ(mismatch.rows_wrong, 3);
  EXPECT_EQ(mismatch.worst_row, 1);
  EXPECT_NEAR(mismatch.worst_ratio, 100, 1e-9);
}

TEST(Compare, NotANumberIsAlwaysWrong) {
  Reference<Complex> reference;
  reference.y = {0, 0};
  reference.bound = {1e300, 1e300};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Complex bad : {Complex(nan, 0), Complex(0, nan)}) {
    const Complex y[] = {0, bad};
    const Mismatch mismatch = compare(y, reference);
    EXPECT_EQ(mismatch.rows_wrong, 1);
    EXPECT_EQ(mismatch.worst_row, 1);
    EXPECT_TRUE(std::isinf(mismatch.worst_ratio));
  }
}

}  // namespace
}  // namespace spmv::test
