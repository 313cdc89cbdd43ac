#include <complex>

#include "support/combine_battery.hpp"
#include "support/cuda_test.hpp"

namespace spmv::test {
namespace {

template <class T>
class CombineCuda : public CudaTest<T> {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CombineCuda, ValueTypes);

TYPED_TEST(CombineCuda, Cuda) {
  check_combinations<TypeParam>(this->backend_);
}

}  // namespace
}  // namespace spmv::test
