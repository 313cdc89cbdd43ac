// Packing on a GPU keeps every bit.
#include <complex>

#include "kernels/packed/dictionary.hpp"
#include "kernels/parts/device_arrays.hpp"
#include "support/cuda_test.hpp"
#include "support/packed_battery.hpp"
#include "support/packed_columns_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class PackingCuda : public CudaTest<T> {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PackingCuda, ValueTypes);

TYPED_TEST(PackingCuda, EveryBitComesBack) {
  check_all_packing<TypeParam>(this->backend_);
}

TYPED_TEST(PackingCuda, SeveralColumns) {
  check_packed_columns<TypeParam>(this->backend_);
}

// The host samples the values of so large a block; the device looks at all of them.
TYPED_TEST(PackingCuda, RareValuesAreMissed) {
  using T = TypeParam;
  std::vector<T> values(std::size_t{1} << 20, T(1.5));
  const auto found = [&] {
    DeviceArrays arrays(this->backend_);
    return find_dictionary(values, false, arrays.add(values), static_cast<offset>(values.size()),
                           this->backend_);
  };
  EXPECT_TRUE(same_bits(found(), std::vector<T>{T(1.5)}));
  values[500] = T(2.5);
  EXPECT_TRUE(same_bits(found(), std::vector<T>{T(1.5), T(2.5)}));
  values.back() = T(3.5);
  EXPECT_TRUE(same_bits(found(), std::vector<T>{T(1.5), T(2.5), T(3.5)}));
  for (std::size_t k = 0; k < 300; ++k) values[500 + 1024 * k] = T(static_cast<RealOf<T>>(k));
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace spmv::test
