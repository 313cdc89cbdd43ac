#include <complex>

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
