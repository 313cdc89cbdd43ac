#include <complex>

#include "support/gather_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class GatherOnHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GatherOnHost, ValueTypes);

TYPED_TEST(GatherOnHost, Host) {
  check_gathers<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(GatherOnHost, DebugDevice) {
  check_gathers<TypeParam>(make_debug_backend(DeviceRequest{}));
}

}  // namespace
}  // namespace spmv::test
