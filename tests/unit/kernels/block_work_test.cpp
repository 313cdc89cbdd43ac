#include <complex>

#include "support/block_work_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class BlockWorkOnHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlockWorkOnHost, ValueTypes);

TYPED_TEST(BlockWorkOnHost, Host) {
  check_block_work<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(BlockWorkOnHost, DebugDevice) {
  check_block_work<TypeParam>(make_debug_backend(DeviceRequest{}));
}

}  // namespace
}  // namespace spmv::test
