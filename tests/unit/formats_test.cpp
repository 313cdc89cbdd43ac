// All formats against the serial reference, where host code does the product.
#include <complex>

#include "support/format_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class Formats : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Formats, ValueTypes);

TYPED_TEST(Formats, BatteryOnHost) {
  check_all_formats<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(Formats, BatteryOnDebugDevice) {
  check_all_formats<TypeParam>(make_debug_backend(DeviceRequest{}));
}

}  // namespace
}  // namespace spmv::test
