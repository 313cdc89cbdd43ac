// Formats with a choice of threads per row, in products with an exchange. For each number of threads: more
// thread blocks than a GPU holds at once, and boundary rows whose mean length differs from the interior's.
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "support/exchanging_products.hpp"

namespace spmv::test {
namespace {

template <class T>
class RowsExchange : public BackendsTest {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RowsExchange, ValueTypes);

TYPED_TEST(RowsExchange, WithEachNumberOfThreads) {
  const std::string matrix = "stencil27:24,24," + std::to_string(24 * world().size());
  const auto problem = generated_problem<TypeParam>(world(), matrix);
  for (const int threads : {2, 4, 8, 16, 32})
    check_exchanging_products(matrix, problem, "csr_vector", threads, true);
  check_exchanging_products(matrix, problem, "csr_scalar", 0, true);
  for (const int threads : {1, 4}) check_exchanging_products(matrix, problem, "ellpack", threads, true);
}

TYPED_TEST(RowsExchange, OfManyThreadBlocks) {
  const std::string matrix = "stencil7:96,96," + std::to_string(96 * world().size());
  const auto problem = generated_problem<TypeParam>(world(), matrix);
  for (const char* format : {"csr_vector", "csr_scalar", "ellpack"})
    check_exchanging_products(matrix, problem, format, 0, true);
}

}  // namespace
}  // namespace spmv::test
