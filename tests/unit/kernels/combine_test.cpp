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

/// An iteration of cg with other memory and another constant.
TEST(Structure, DependsOnWhatIsDoneAlone) {
  std::array<double, 4> memory{};
  using V = VectorRef<double>;
  const auto build = [](Combination<double>& c, V x, V r, V p, V s, double size) {
    const Number alpha = slot(0) * size;
    c.set(x, x + alpha * p).set(r, r - alpha * s).set(p, r + alpha * p).sum(0, r, r);
  };
  const auto differ = [](const Combination<double>& a, const Combination<double>& b) {
    const Structure one = structure_of(a.data()), other = structure_of(b.data());
    EXPECT_EQ(one < other || other < one, kernel_text<double>(one) != kernel_text<double>(other));
    return one < other || other < one;
  };
  const auto at = [&](std::size_t i, lidx count) { return V{&memory[i], count}; };
  Combination<double> a, b;
  build(a, at(3, 1), at(2, 1), at(1, 1), at(0, 1), 1);
  build(b, at(1, 7), at(0, 7), at(2, 7), at(3, 7), 2);
  EXPECT_FALSE(differ(a, b));
  EXPECT_EQ(a.data().at[0], &memory[3]);
  EXPECT_EQ(a.data().at[3], &memory[0]);
  EXPECT_EQ(a.data().loaded, 0b1111);
  EXPECT_EQ(a.data().stored, 0b0111);
  EXPECT_EQ(b.data().count, 7);
  b.sum(1, at(3, 7), at(1, 7));
  EXPECT_TRUE(differ(a, b));
}

TEST(Combination, LoadsAndStoresWhatIsNeeded) {
  std::array<double, 3> memory{};
  const VectorRef<double> p{&memory[0], 1}, x{&memory[1], 1}, r{&memory[2], 1};
  Combination<double> c;
  const VectorRef<double> z = c.scratch();
  c.multiply(z, x, r).set(p, z).sum(0, p, x);
  const CombinationData<double>& data = c.data();
  EXPECT_EQ(data.vectors, 4);
  for (int v = 0; v < data.vectors; ++v) {
    EXPECT_EQ(data.loads(v), data.at[v] == x.at || data.at[v] == r.at) << v;
    EXPECT_EQ(data.stores(v), data.at[v] == p.at) << v;
  }
}

TEST(Combination, RefusesWhatDoesNotFit) {
  EXPECT_THROW(slot(most_slots), Error);
  Formula f;
  for (int i = 0; i < Formula::most_steps; ++i) f.add(Formula::Operation::constant, 0);
  EXPECT_THROW(f.add(Formula::Operation::constant, 0), Error);
  Combination<double> c;
  for (int i = 0; i < most_vectors; i += 3) c.multiply(c.scratch(), c.scratch(), c.scratch());
  EXPECT_THROW(c.set(c.scratch(), c.scratch()), Error);
  std::array<double, 2> memory{};
  Combination<double> d;
  const VectorRef<double> x{memory.data(), 2}, y{&memory[1], 1};
  EXPECT_THROW(d.sum(0, x, y), Error) << "of different lengths";
  for (int i = 0; i < most_changes; ++i) d.set(x, x);
  EXPECT_THROW(d.set(x, x), Error);
  for (int i = 0; i < most_sums; ++i) d.sum(i, x, x);
  EXPECT_THROW(d.sum(0, x, x), Error);
  EXPECT_THROW(d.store(most_slots, 1), Error);
  EXPECT_THROW(d.record(record_width, 1), Error);
}

}  // namespace
}  // namespace spmv::test
