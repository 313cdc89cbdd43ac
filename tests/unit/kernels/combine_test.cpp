#include <array>
#include <complex>

#include "kernels/combine/common_recipes.hpp"
#include "support/combine_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class CombineOnHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CombineOnHost, ValueTypes);

TYPED_TEST(CombineOnHost, Host) {
  check_combinations<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(CombineOnHost, DebugDevice) {
  check_combinations<TypeParam>(make_debug_backend(DeviceRequest{}));
}

/// An iteration of cg with its vectors declared in another order.
TEST(Recipes, DoNotDependOnTheOrderOfDeclarations) {
  std::array<double, 4> memory{};
  Combination<double> c(1);
  const auto s = c.vector(&memory[0]), p = c.vector(&memory[1]), r = c.vector(&memory[2]),
             x = c.vector(&memory[3]);
  const auto alpha = c.formula.slot(0);
  c.set(x, x + alpha * p);
  c.set(r, r - alpha * s);
  c.set(p, r + alpha * p);
  c.sum(0, r, r);
  EXPECT_TRUE(is_common(c.data()));
  const CombinationData<double> in_order = renumbered(c.data());
  EXPECT_EQ(in_order.at[0], &memory[3]);
  EXPECT_EQ(in_order.at[3], &memory[0]);
  EXPECT_EQ(in_order.stored, 0b0111);
  c.sum(1, s, x);
  EXPECT_FALSE(is_common(c.data()));
}

TEST(Formula, RefusesWhatDoesNotFit) {
  Formula f;
  EXPECT_THROW(f.slot(most_slots), Error);
  for (int i = 0; i < Formula::most_steps; ++i) f.constant(i);
  EXPECT_THROW(f.constant(0), Error);
  Combination<double> c(1);
  for (int i = 0; i < most_vectors; ++i) c.scratch();
  EXPECT_THROW(c.scratch(), Error);
}

}  // namespace
}  // namespace spmv::test
