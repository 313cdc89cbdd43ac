// Packing on a GPU gives back every bit.
#include <complex>

#include "support/cuda_test.hpp"
#include "support/packed_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class PackingCuda : public CudaTest<T> {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PackingCuda, ValueTypes);

TYPED_TEST(PackingCuda, EveryBitComesBack) {
  check_all_packing<TypeParam>(this->backend_);
}

}  // namespace
}  // namespace spmv::test
