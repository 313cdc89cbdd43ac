#include <complex>

#include "support/random_phases_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class RandomPhasesOnHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RandomPhasesOnHost, ValueTypes);

TYPED_TEST(RandomPhasesOnHost, Host) {
  check_random_phases<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(RandomPhasesOnHost, DebugDevice) {
  check_random_phases<TypeParam>(make_debug_backend(DeviceRequest{}));
}

}  // namespace
}  // namespace spmv::test
