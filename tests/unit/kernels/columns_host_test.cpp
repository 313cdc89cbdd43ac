#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/value_type.hpp"
#include "kernels/columns/columns.hpp"

namespace spmv::test {
namespace {

constexpr lidx rows = 75, cols = 90, width = 12;

/// 75 rows of 0 to 12 elements: whole slices of 32 and a partial one, with equal row lengths side by side.
/// Stored elements after the ends of rows, and the element of x that they refer to, are NaN and must not be
/// multiplied.
template <class T, class PlacementType>
struct Block {
  PlacementType placement;
  std::vector<lidx> row_length;
  std::vector<lidx> col;
  std::vector<T> value;
  std::vector<T> x;
  bool marked = false;

  Block(const PlacementType& where, std::vector<lidx> lengths, offset stored)
      : placement(where),
        row_length(std::move(lengths)),
        col(static_cast<std::size_t>(stored), cols),
        value(static_cast<std::size_t>(stored), T(std::nanf(""))) {
    for (lidx row = 0; row < rows; ++row)
      for (lidx j = 0; j < row_length[row]; ++j) {
        col[placement.at(row, j)] = (row * 5 + j * 11) % cols;
        value[placement.at(row, j)] = T(1) / T(3 + row + j);
      }
    for (lidx k = 0; k < cols; ++k) x.push_back(T(1) / T(7 + k));
    x.push_back(T(std::nanf("")));
  }
  /// Marks padding; then no row lengths are kept.
  void mark_padding() {
    for (lidx row = 0; row < rows; ++row)
      for (lidx j = row_length[row]; j < width; ++j) col[placement.at(row, j)] = no_col;
    marked = true;
  }
  std::vector<T> product(bool by_gathers, Update update, const lidx* row_list) const {
    const std::vector<offset> chunk_ptr = chunk_nonzeros(row_length, placement.host_chunk_rows());
    ColumnsView<T, PlacementType> view{};
    view.rows = rows;
    view.placement = placement;
    view.row_length = marked ? nullptr : row_length.data();
    view.width = width;
    view.row_list = row_list;
    view.col = col.data();
    view.value = value.data();
    view.chunk_ptr = chunk_ptr.data();
    std::vector<T> y(rows, T(-1));
    multiply_host(view, x.data(), y.data(), update, by_gathers);
    return y;
  }
  /// Both ways must add up elements in their order.
  void check() const {
    std::vector<lidx> last_first(rows);
    for (lidx row = 0; row < rows; ++row) last_first[row] = rows - 1 - row;
    for (const Update update : {Update::assign, Update::add})
      for (const lidx* row_list : {static_cast<const lidx*>(nullptr), std::as_const(last_first).data()}) {
        const auto gathered = product(true, update, row_list), loaded = product(false, update, row_list);
        EXPECT_EQ(std::memcmp(gathered.data(), loaded.data(), loaded.size() * sizeof(T)), 0);
        for (lidx row = 0; row < rows; ++row) {
          T sum = update == Update::add ? T(-1) : T(0);
          for (lidx j = 0; j < row_length[row]; ++j)
            sum += value[placement.at(row, j)] * x[col[placement.at(row, j)]];
          EXPECT_LT(std::abs(loaded[row_list != nullptr ? row_list[row] : row] - sum), 1e-5) << row;
        }
      }
  }
};

std::vector<lidx> unsorted_lengths() {
  std::vector<lidx> lengths;
  for (lidx row = 0; row < rows; ++row) lengths.push_back(row < 40 ? 9 : (row * 7) % (width + 1));
  return lengths;
}

template <class T>
class ColumnsHost : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ColumnsHost, ValueTypes);

TYPED_TEST(ColumnsHost, SlicesGiveTheSameBitsHoweverXIsLoaded) {
  for (int log2_rows = 0; log2_rows <= 7; ++log2_rows) {
    SCOPED_TRACE(log2_rows);
    const lidx slice = 1 << log2_rows;
    std::vector<offset> slice_ptr{0};
    while ((static_cast<lidx>(slice_ptr.size()) - 1) * slice < rows)
      slice_ptr.push_back(slice_ptr.back() + offset{slice} * width);
    Block<TypeParam, Sliced>({slice_ptr.data(), log2_rows}, unsorted_lengths(), slice_ptr.back()).check();
  }
}

TYPED_TEST(ColumnsHost, ColumnsFarApartGiveTheSameBitsHoweverXIsLoaded) {
  constexpr offset stride = 96;
  Block<TypeParam, Strided> block({stride}, unsorted_lengths(), stride * width);
  block.check();
  block.mark_padding();
  block.check();
}

TYPED_TEST(ColumnsHost, JaggedColumnsGiveTheSameBitsHoweverXIsLoaded) {
  std::vector<lidx> lengths = unsorted_lengths();
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  std::vector<offset> col_start{0};
  for (lidx j = 0; j < width; ++j)
    col_start.push_back(col_start.back() + std::count_if(lengths.begin(), lengths.end(),
                                                         [&](lidx length) { return length > j; }));
  Block<TypeParam, Jagged>({col_start.data()}, lengths, col_start.back()).check();
}

}  // namespace
}  // namespace spmv::test
