// Every table against the battery: modes x formats x transports x partitioners x backends x value types.
#include <array>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "support/mpi_test.hpp"
#include "support/pairwise.hpp"
#include "support/problem.hpp"

namespace spmv::test {
namespace {

/// One way to multiply.
template <class T>
struct Variant {
  const TestBackend* backend;
  const Mode<T>* mode;
  const Format<T>* format;
  const Format<T>* nonlocal_format;
  const Transport* transport;
  lidx block_rows;
  bool vectors_on_host;

  std::string name() const {
    return std::string(backend->name) + ", " + mode->name + ", " + format->name + " + " +
           nonlocal_format->name + ", " + transport->name + ", b_r " + std::to_string(block_rows) +
           (vectors_on_host ? ", vectors on host" : "");
  }
};

constexpr std::array<lidx, 2> block_rows_table = {1, 32};

/// Choices are indices into these tables; the last is the partitioner.
template <class T>
std::vector<std::size_t> table_sizes() {
  return {product_backends().size(),
          modes<T>().size(),
          formats<T>().size(),
          formats<T>().size(),
          transports().size(),
          block_rows_table.size(),
          2,
          partitioners().size()};
}

template <class T>
Variant<T> variant(const std::vector<std::size_t>& at) {
  return {&product_backends()[at[0]],
          &modes<T>()[at[1]],
          &formats<T>()[at[2]],
          &formats<T>()[at[3]],
          &transports()[at[4]],
          block_rows_table[at[5]],
          at[6] == 1};
}

/// Products of two different x in turn, the first again at the end, each on NaN. Collective.
template <class T>
void check_product(const Communicator& communicator, const Problem<T>& problem, const Variant<T>& variant) {
  const auto backend = variant.backend->make(communicator);
  DistMatrix<T> matrix(communicator, problem.rows,
                       {variant.mode->layout,
                        variant.format->name,
                        variant.nonlocal_format->name,
                        variant.transport->name,
                        {variant.block_rows},
                        -1},
                       backend);
  Product<T> product(matrix, problem.rows.original_col, variant.vectors_on_host);
  for (const unsigned number : {0u, 1u, 2u}) {
    product.poison(number);
    product.run(*variant.mode, number, nullptr);
    const std::vector<T> y = product.y();
    ASSERT_EQ(y.size(), problem.rows.original_row.size());
    const Mismatch mismatch = compare(y.data(), problem.reference[number % steps]);
    EXPECT_EQ(mismatch.rows_wrong, 0) << "product " << number << ": row " << mismatch.worst_row
                                      << " of this rank is off by " << mismatch.worst_ratio << " bounds";
  }
}

template <class T>
void check_matrix(const GlobalMatrix& global, const std::vector<std::vector<std::size_t>>& choices) {
  const Communicator communicator = world();
  for (std::size_t p = 0; p < partitioners().size(); ++p) {
    const Problem<T> problem = make_problem<T>(communicator, global, partitioners()[p]);
    for (const auto& choice : choices) {
      if (choice.back() != p) continue;
      const Variant<T> v = variant<T>(choice);
      SCOPED_TRACE("'" + global.name + "', " + value_name<T>() + ", " + partitioners()[p].name + ", " +
                   v.name());
      check_product(communicator, problem, v);
    }
  }
}

template <class T>
class Products : public BackendsTest {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Products, ValueTypes);

// Every pair of table rows on every matrix, in other company for every matrix and value type.
TYPED_TEST(Products, EveryPairOnTheBattery) {
  unsigned seed = 100 * sizeof(TypeParam) + is_complex<TypeParam>;
  for (const GlobalMatrix& matrix : matrix_battery(world().size()))
    check_matrix<TypeParam>(matrix, pairwise(table_sizes<TypeParam>(), ++seed));
}

// Every combination where local and nonlocal rows, ghosts and owned columns are all in different orders.
class FullProducts : public BackendsTest {};
TEST_F(FullProducts, EveryCombination) {
  for (const GlobalMatrix& matrix : matrix_battery(world().size()))
    if (matrix.name == "opposite lengths") check_matrix<double>(matrix, full_product(table_sizes<double>()));
}

}  // namespace
}  // namespace spmv::test
