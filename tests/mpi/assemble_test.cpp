#include "dist/prepare/assemble.hpp"

#include <complex>
#include <map>

#include <gtest/gtest.h>

#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

template <class T>
class Assembled : public testing::Test {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Assembled, ValueTypes);

/// Columns of `row` with their sums, computed with a map.
template <class T>
std::map<gidx, std::complex<double>> row_by_map(const GlobalMatrix& matrix, gidx row) {
  std::map<gidx, std::complex<double>> sums;
  for (std::size_t k = 0; k < matrix.at.size(); ++k)
    if (matrix.at[k].first == row)
      sums[matrix.at[k].second] += std::complex<double>(battery_value<T>(matrix, k));
  return sums;
}

TYPED_TEST(Assembled, BatteryRowByRow) {
  using T = TypeParam;
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    SCOPED_TRACE(matrix.name);
    const RowPartition rows = RowPartition::even(matrix.shape.rows, c.size());
    const RowBlock<T> block = assemble(c, rows, dealt_entries<T>(matrix, c.rank(), c.size()));
    EXPECT_EQ(block.first_row, rows.first(c.rank()));
    ASSERT_EQ(block.rows(), rows.count(c.rank()));
    ASSERT_EQ(block.col.size(), static_cast<std::size_t>(block.nonzeros()));
    ASSERT_EQ(block.value.size(), block.col.size());
    for (gidx i = 0; i < block.rows(); ++i) {
      const auto expected = row_by_map<T>(matrix, block.first_row + i);
      ASSERT_EQ(block.row_ptr[i + 1] - block.row_ptr[i], static_cast<offset>(expected.size())) << "row " << i;
      offset k = block.row_ptr[i];
      for (const auto& [col, sum] : expected) {  // ascending, each column once
        EXPECT_EQ(block.col[k], col);
        EXPECT_LE(std::abs(std::complex<double>(block.value[k]) - sum), 1e-6)
            << "row " << i << " col " << col;
        ++k;
      }
    }
  }
}

TEST(Assemble, RanksWithoutEntriesAndRowsWithoutEntries) {
  const Communicator& c = world();
  const RowPartition rows = RowPartition::even(2 * c.size(), c.size());
  std::vector<Entry<double>> entries;
  if (c.rank() == 0) entries = {{2 * c.size() - 1, 0, 4}, {2 * c.size() - 1, 0, -1}};
  const RowBlock<double> block = assemble(c, rows, entries);
  EXPECT_EQ(block.rows(), 2);
  EXPECT_EQ(block.value, c.rank() == c.size() - 1 ? std::vector<double>{3} : std::vector<double>{});
}

TEST(Assemble, ExplicitZerosAndCancelledSumsStayStored) {
  const Communicator& c = world();
  const RowPartition rows = RowPartition::even(c.size(), c.size());
  const gidx row = c.rank();
  const RowBlock<double> block = assemble<double>(c, rows, {{row, 3, 0}, {row, 1, 2}, {row, 1, -2}});
  EXPECT_EQ(block.col, (std::vector<gidx>{1, 3}));
  EXPECT_EQ(block.value, (std::vector<double>{0, 0}));
}

TEST(Assemble, ColumnsBeyond32Bits) {
  const Communicator& c = world();
  const gidx far = gidx{1} << 40;
  const RowPartition rows = RowPartition::even(c.size(), c.size());
  const RowBlock<double> block =
      assemble<double>(c, rows, {{(c.rank() + 1) % c.size(), far + c.rank(), 1.5}});
  EXPECT_EQ(block.col, std::vector<gidx>{far + (c.rank() + c.size() - 1) % c.size()});
}

}  // namespace
}  // namespace spmv::test
