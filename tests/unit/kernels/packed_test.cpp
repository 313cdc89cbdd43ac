// Packed slices: every bit is kept, and everything that can be stored short is.
#include <complex>

#include "core/error.hpp"
#include "kernels/packed/dictionary.hpp"
#include "support/packed_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class FormatPacking : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FormatPacking, ValueTypes);

TYPED_TEST(FormatPacking, EveryBitComesBack) {
  check_all_packing<TypeParam>(make_host_backend(DeviceRequest{}));
}

Csr<double> with_values(const Pattern& pattern, const std::vector<double>& pool) {
  Csr<double> block = make_block<double>(pattern);
  for (std::size_t k = 0; k < block.value.size(); ++k) block.value[k] = pool[k % pool.size()];
  return block;
}

Slice first_slice(const Csr<double>& block, int b = 1) {
  std::vector<Slice> slices;
  pack_and_unpack(block, {}, {.b = b}, make_host_backend(DeviceRequest{}), &slices);
  return slices.front();
}

TEST(FormatPackedSlice, TakesTheShortestColumns) {
  const auto columns = [](const Pattern& pattern) {
    return first_slice(make_block<double>(pattern)).columns();
  };
  EXPECT_EQ(columns(diagonal_pattern("", 40, 60, {0, 3, 11})), ColumnKind::diagonals);
  EXPECT_EQ(columns(spread_pattern("", 40, 255)), ColumnKind::distance8);
  EXPECT_EQ(columns(spread_pattern("", 40, 256)), ColumnKind::distance16);
  EXPECT_EQ(columns(spread_pattern("", 40, 65535)), ColumnKind::distance16);
  EXPECT_EQ(columns(spread_pattern("", 40, 65536)), ColumnKind::full);
}

TEST(FormatPackedSlice, DiagonalsHaveOneOrderInAllRows) {
  const auto columns = [](const std::vector<std::vector<lidx>>& rows) {
    return first_slice(make_block<double>({"", 1000, rows})).columns();
  };
  EXPECT_EQ(columns({{109, 4, 500}, {110, 5, 501}}), ColumnKind::diagonals);
  EXPECT_EQ(columns({{109, 9, 500}, {110, 5, 10, 501}, {6, 11, 502}}), ColumnKind::diagonals);
  EXPECT_EQ(columns({{109, 4, 500}, {110, 112, 5, 501}}), ColumnKind::diagonals);
  EXPECT_EQ(columns({{109, 119, 9}, {110, 5, 10}, {111, 121, 6, 11}}), ColumnKind::diagonals);
  EXPECT_NE(columns({{109, 4}, {5, 110}}), ColumnKind::diagonals);
  EXPECT_NE(columns({{4, 4}, {5, 5}}), ColumnKind::diagonals);
}

// The first plane of a rank's part of a grid refers to the plane below, on another rank: those columns are
// ghosts with ids after the rank's own, but come first in the rows. Grid lines end within slices.
TEST(FormatPackedSlice, RowsThatBeginWithGhostsAreDiagonals) {
  constexpr lidx nx = 33, ny = 33, planes = 3, owned = nx * ny * planes;
  Pattern pattern{"", owned + nx * ny, {}};
  for (lidx y = 0; y < ny; ++y)
    for (lidx x = 0; x < nx; ++x) {
      pattern.rows.emplace_back();
      for (const lidx plane : {owned, 0, nx * ny})
        for (lidx to_y = std::max(0, y - 1); to_y <= std::min(ny - 1, y + 1); ++to_y)
          for (lidx to_x = std::max(0, x - 1); to_x <= std::min(nx - 1, x + 1); ++to_x)
            pattern.rows.back().push_back(plane + to_y * nx + to_x);
    }
  std::vector<Slice> slices;
  pack_and_unpack(make_block<double>(pattern), {}, {}, make_host_backend(DeviceRequest{}), &slices);
  ASSERT_EQ(slices.size(), 35u);
  for (const Slice& slice : slices) EXPECT_EQ(slice.columns(), ColumnKind::diagonals);
}

TEST(FormatPackedSlice, TakesTheShortestValues) {
  const Pattern pattern = random_pattern("", 64, 100, [](lidx) { return 9; });
  const auto values = [&](const std::vector<double>& pool, int b) {
    return first_slice(with_values(pattern, pool), b).values();
  };
  EXPECT_EQ(values({7.1}, 1), ValueKind::constant);
  EXPECT_EQ(values({1, 2, 3, 4, 5, 6, 7, 8, 1.0 / 3}, 1), ValueKind::constant);  // one per slice column
  EXPECT_EQ(values({1, 2, 3, 4, 5, 6, 7, 1.0 / 3}, 1), ValueKind::dictionary);
  EXPECT_EQ(values(value_pool<double>(256, false), 1), ValueKind::dictionary);
  EXPECT_EQ(values(value_pool<double>(300, true), 1), ValueKind::half);
  EXPECT_EQ(values(value_pool<double>(300, false), 1), ValueKind::full);
  EXPECT_EQ(values({7.1}, 2), ValueKind::dictionary);  // the value, and the hole's zero
}

// The host samples the values of so large a block; then the device looks at all of them.
TEST(FormatDictionary, HasValuesThatAreRare) {
  const auto backend = make_host_backend(DeviceRequest{});
  std::vector<double> values(std::size_t{1} << 20, 1.5);
  const auto found = [&] {
    return find_dictionary(values, false, values.data(), static_cast<offset>(values.size()), backend);
  };
  EXPECT_EQ(found(), std::vector<double>{1.5});
  values[500] = 2.5;
  EXPECT_EQ(found(), (std::vector<double>{1.5, 2.5}));
  values.back() = 3.5;
  EXPECT_EQ(found(), (std::vector<double>{1.5, 2.5, 3.5}));
  for (std::size_t k = 0; k < 300; ++k) values[500 + 1024 * k] = static_cast<double>(k);
  EXPECT_TRUE(found().empty());
}

TEST(FormatDictionary, KeepsPlaceForTheHole) {
  const auto backend = make_host_backend(DeviceRequest{});
  const std::vector<double> values = {1, 2}, packed = {1, hole<double>(), 2, hole<double>()};
  const auto found = find_dictionary(values, true, packed.data(), 4, backend);
  EXPECT_TRUE(same_bits(found, make_dictionary(values, true)));
  EXPECT_EQ(found.size(), 3u);
  std::vector<double> most(most_dictionary_values);
  std::iota(most.begin(), most.end(), 1.0);
  EXPECT_EQ(find_dictionary(most, false, most.data(), most_dictionary_values, backend), most);
  EXPECT_TRUE(find_dictionary(most, true, most.data(), most_dictionary_values, backend).empty());
  EXPECT_TRUE(find_dictionary<double>({}, false, nullptr, 0, backend).empty());
}

TEST(FormatPackedSlice, BlocksAreFoundAndFilled) {
  // Rows 0 and 1 share columns 0 to 3, except for one element.
  Csr<double> block;
  block.rows = 3;
  block.cols = 5;
  block.row_ptr = {0, 3, 5, 6};
  block.col = {0, 1, 3, 3, 2, 4};
  block.value = {1, 2, 3, 4, 5, 6};
  const Elements<double> blocks = cover_with_blocks(block, 2);
  EXPECT_EQ(blocks.row_ptr, (std::vector<offset>{0, 2, 3}));
  EXPECT_EQ(blocks.col, (std::vector<lidx>{0, 1, 2}));
  const double none = hole<double>();
  const std::vector<double> value = {1, 2, none, none, none, 3, 5, 4, 6, none, none, none};
  EXPECT_TRUE(same_bits(blocks.value, value));
  EXPECT_TRUE(blocks.holes);
}

TEST(FormatPackedSlice, GroupsOfRowsAreSortedAndTheLastRowsStayLast) {
  // Groups of three rows with 2, 5 and 4 elements, and two rows outside any group.
  const Csr<double> block = make_block<double>(random_pattern("", 11, 20, [](lidx row) {
    return row < 3 ? 2 : row < 6 ? 5 : 4;
  }));
  EXPECT_EQ(packed_row_order(block, 3, 64), (std::vector<lidx>{3, 4, 5, 6, 7, 8, 0, 1, 2, 9, 10}));
}

TEST(FormatPackedSlice, RefusesTheValueThatMarksHoles) {
  Csr<double> block = make_block<double>(random_pattern("", 4, 4, [](lidx) { return 2; }));
  block.value[3] = hole<double>();
  EXPECT_THROW(cover_with_blocks(block, 2), Error);
}

}  // namespace
}  // namespace spmv::test
