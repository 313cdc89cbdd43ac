#include <array>
#include <complex>

#include "kernels/combine/kernel_text.hpp"
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

/// An iteration of cg with its vectors in another order, other memory and another constant.
TEST(Structure, DependsOnWhatIsDoneAlone) {
  std::array<double, 4> memory{};
  const auto build = [](Program<double>& c, VectorName x, VectorName r, VectorName p, VectorName s,
                        double size) {
    const auto alpha = c.formula.slot(0) * c.formula.constant(size);
    c.set(x, x + alpha * p);
    c.set(r, r - alpha * s);
    c.set(p, r + alpha * p);
    c.sum(0, r, r);
  };
  const auto differ = [](const Program<double>& a, const Program<double>& b) {
    const Structure one = structure_of(renumbered(a.data())), other = structure_of(renumbered(b.data()));
    EXPECT_EQ(one < other || other < one, kernel_text<double>(one) != kernel_text<double>(other));
    return one < other || other < one;
  };
  Program<double> a(1), b(7);
  {
    const auto s = a.vector(&memory[0]), p = a.vector(&memory[1]), r = a.vector(&memory[2]),
               x = a.vector(&memory[3]);
    build(a, x, r, p, s, 1);
  }
  const auto x = b.vector(&memory[1]), r = b.vector(&memory[0]), p = b.vector(&memory[2]),
             s = b.vector(&memory[3]);
  build(b, x, r, p, s, 2);
  EXPECT_FALSE(differ(a, b));
  const CombinationData<double> in_order = renumbered(a.data());
  EXPECT_EQ(in_order.at[0], &memory[3]);
  EXPECT_EQ(in_order.at[3], &memory[0]);
  EXPECT_EQ(in_order.stored, 0b0111);
  b.sum(1, s, x);
  EXPECT_TRUE(differ(a, b));
}

TEST(Formula, RefusesWhatDoesNotFit) {
  Formula f;
  EXPECT_THROW(f.slot(most_slots), Error);
  for (int i = 0; i < Formula::most_steps; ++i) f.constant(i);
  EXPECT_THROW(f.constant(0), Error);
  Program<double> c(1);
  for (int i = 0; i < most_vectors; ++i) c.scratch();
  EXPECT_THROW(c.scratch(), Error);
}

}  // namespace
}  // namespace spmv::test
