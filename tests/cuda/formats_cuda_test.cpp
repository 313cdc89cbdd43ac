// All formats against the serial reference, on a GPU.
#include <complex>

#include "support/cuda_test.hpp"
#include "support/format_battery.hpp"
#include "support/gather_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class FormatsCuda : public CudaTest<T> {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FormatsCuda, ValueTypes);

TYPED_TEST(FormatsCuda, Battery) {
  check_all_formats<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, Gather) {
  check_gathers<TypeParam>(this->backend_);
}

// A launch with a wrong shape shows only where there are more rows than one wave of thread blocks takes.
TYPED_TEST(FormatsCuda, ManyRows) {
  const Pattern pattern = random_pattern("600000 rows", 600'000, 40, [](lidx i) { return i % 12; });
  for (const Format<TypeParam>& format : formats<TypeParam>())
    if (why_unusable(format, *this->backend_).empty())
      check_format(format, pattern, FormatOptions{}, this->backend_);
}

}  // namespace
}  // namespace spmv::test
