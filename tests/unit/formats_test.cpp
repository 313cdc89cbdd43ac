// All formats against the serial reference, where host code does the product.
#include <complex>

#include <omp.h>

#include "kernels/parts/balanced_split.hpp"
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

// Threads that leave out the rows between their parts, or do them twice.
TYPED_TEST(Formats, BatteryInThreeThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  check_all_formats<TypeParam>(make_host_backend(DeviceRequest{}));
  omp_set_num_threads(threads);
}

TEST(BalancedSplit, PartsMeetAndShareTheCost) {
  const std::vector<offset> prefix = {0, 0, 100, 100, 101, 102, 103, 200};  // two heavy items among seven
  for (int parts = 1; parts <= 9; ++parts) {
    EXPECT_EQ(first_of_part(prefix.data(), 7, 0, parts), 0);
    EXPECT_EQ(first_of_part(prefix.data(), 7, parts, parts), 7);
    for (int part = 0; part < parts; ++part)
      EXPECT_LE(first_of_part(prefix.data(), 7, part, parts),
                first_of_part(prefix.data(), 7, part + 1, parts));
  }
  EXPECT_EQ(first_of_part(prefix.data(), 7, 1, 2), 3);
  const offset none = 0;
  EXPECT_EQ(first_of_part(&none, 0, 2, 3), 0);
}

}  // namespace
}  // namespace spmv::test
