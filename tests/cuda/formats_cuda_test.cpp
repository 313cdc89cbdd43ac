// Every format on a GPU against the serial reference.
#include <complex>

#include "core/pick.hpp"
#include "kernels/tiles/tiles.hpp"
#include "support/block_work_battery.hpp"
#include "support/cuda_test.hpp"
#include "support/format_battery.hpp"
#include "support/format_claims.hpp"
#include "support/gather_battery.hpp"
#include "support/random_phases_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class FormatsCuda : public CudaTest<T> {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FormatsCuda, ValueTypes);

TYPED_TEST(FormatsCuda, Battery) {
  check_all_formats<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, RelaunchedMultiplyAsIfBuiltSo) {
  check_relaunched<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, FuseAsTheirRowsSay) {
  check_which_formats_fuse<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, SumAsTheirRowsSay) {
  check_which_formats_sum<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, TakeColumnsAsTheirRowsSay) {
  check_which_formats_take_columns<TypeParam>(this->backend_);
}

// The way in which trials build them.
TYPED_TEST(FormatsCuda, BuiltFromCopiesThatAreKept) {
  using T = TypeParam;
  const Csr<T> block =
      make_block<T>(random_pattern("rows of 1 to 12", 5000, 5000, [](lidx i) { return 1 + i % 12; }));
  const auto keep = [&](const auto& array) {
    return this->backend_->keep_copy(array.data(), array.size() * sizeof(array[0]));
  };
  const auto row_ptr = keep(block.row_ptr), col = keep(block.col), value = keep(block.value);
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *this->backend_).empty() || !format.row_order(block, {}).empty()) continue;
    SCOPED_TRACE(format.name);
    const ProductCheck<T> check(block, format.multiplies_fill, this->backend_);
    check(*format.make({block, {}, {}, this->backend_}), {}, Update::assign);
  }
}

TYPED_TEST(FormatsCuda, Gather) {
  check_gathers<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, RandomPhases) {
  check_random_phases<TypeParam>(this->backend_);
}

TYPED_TEST(FormatsCuda, BlockWork) {
  check_block_work<TypeParam>(this->backend_);
}

// Products replayed from a capture, with a changed x: formats must restore what they keep between products.
TYPED_TEST(FormatsCuda, Replayed) {
  using T = TypeParam;
  const Pattern pattern = random_pattern("long rows", 40, 9000, [](lidx i) { return i == 7 ? 8900 : 3 * i; });
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *this->backend_).empty()) continue;
    SCOPED_TRACE(format.name);
    const Csr<T> block = make_block<T>(pattern, format.row_order(make_block<T>(pattern), {}));
    const auto op = format.make({block, {}, {}, this->backend_});
    const auto queue = this->backend_->make_queue(Priority::normal);
    const PoisonedX<T> first(block, 1, format.multiplies_fill, this->backend_);
    const PoisonedX<T> second(block, 2, format.multiplies_fill, this->backend_);
    Buffer<T> x(this->backend_, block.cols, Memory::device), y(this->backend_, block.rows, Memory::device);
    const auto capture = queue->capture_work([&] { op->apply(*queue, x.data(), y.data(), Update::assign); });
    for (const PoisonedX<T>* from : {&first, &second, &first}) {
      const unsigned step = from == &first ? 1 : 2;
      queue->copy(x.data(), from->data(), x.bytes(), Copy::on_device);
      queue->fill(y.data(), 0xff, y.bytes());
      queue->replay(*capture);
      queue->synchronize();
      std::vector<T> product(y.size());
      download(*this->backend_, product.data(), y.data(), product.size());
      const Reference<T> reference = reference_product(
          RowBlock<T>{0, block.row_ptr, std::vector<gidx>(block.col.begin(), block.col.end()), block.value},
          step);
      EXPECT_EQ(compare(product.data(), reference).rows_wrong, 0);
    }
  }
}

// More rows than one wave of thread blocks takes: smaller blocks do not show a wrong launch shape.
TYPED_TEST(FormatsCuda, ManyRows) {
  const Pattern pattern = random_pattern("600000 rows", 600'000, 40, [](lidx i) { return i % 12; });
  for (const Format<TypeParam>& format : formats<TypeParam>())
    if (why_unusable(format, *this->backend_).empty())
      check_format(format, pattern, FormatOptions{}, this->backend_);
}

/// Checks csr and csr_packed for a pattern with so many distinct values (0: all differ), with and without
/// a row list.
template <class T>
void check_tiles(const Pattern& pattern, const std::vector<std::size_t>& different_values,
                 const std::shared_ptr<Backend>& backend) {
  for (const std::size_t kinds : different_values) {
    Csr<T> block = make_block<T>(pattern);
    for (std::size_t k = 0; kinds > 0 && k < block.value.size(); ++k)
      block.value[k] = T(static_cast<RealOf<T>>(k % kinds) / 4 - 3);
    const ProductCheck<T> check(block, false, backend);
    const ColumnsCheck<T> check_columns = check.of_columns(block, false);
    for (const char* name : {"csr", "csr_packed"})
      for (const std::vector<lidx>& row_list : {std::vector<lidx>{}, sparse_row_list(block.rows)}) {
        const auto op = pick(formats<T>(), name, "format").make({block, row_list, {}, backend});
        for (const Update update : {Update::assign, Update::add}) {
          SCOPED_TRACE(pattern.name + ", " + name + ", " + std::to_string(kinds) + " values" +
                       (row_list.empty() ? "" : ", row list") + (update == Update::add ? ", add" : ""));
          check(*op, row_list, update);
          for (const int k : {2, 6, 8}) check_columns(*op, row_list, update, k);
        }
      }
  }
}

/// Rows of the given lengths, columns `stride` apart.
template <class Length>
Pattern strided_pattern(lidx rows, lidx stride, const Length& length) {
  Pattern pattern{std::to_string(rows) + " rows, stride " + std::to_string(stride), 200'000, {}};
  for (lidx i = 0; i < rows; ++i) {
    pattern.rows.emplace_back();
    for (lidx j = 0; j < length(i); ++j) pattern.rows.back().push_back((i + stride * j) % pattern.cols);
  }
  return pattern;
}

// Streamed rows of 27 nonzeros, with empty rows and, in some tiles, a long row among them; every kind of
// value that csr_packed has; 16-bit and 32-bit columns.
TYPED_TEST(FormatsCuda, StreamedTiles) {
  for (const lidx stride : {lidx{37}, lidx{7001}}) {
    const Pattern pattern = strided_pattern(60'000, stride, [](lidx i) {
      return i % 50 == 7 ? 0 : i % 1600 == 3 ? 300 : 27;
    });
    const Csr<TypeParam> block = make_block<TypeParam>(pattern);
    ASSERT_FALSE(make_streamed_tiles(block.row_ptr).empty() || reads_x_far_away(block));
    check_tiles<TypeParam>(pattern, {1, 30, 300, 0}, this->backend_);
  }
}

// Rows so long that two or four warps add up each of them.
TYPED_TEST(FormatsCuda, StreamedTilesOfLongRows) {
  for (const lidx length : {314, 640}) {
    const Pattern pattern =
        strided_pattern(1'000'000 / length, 37, [=](lidx i) { return length - static_cast<lidx>(i % 3); });
    const Csr<TypeParam> block = make_block<TypeParam>(pattern);
    const std::vector<Tile> tiles = make_streamed_tiles(block.row_ptr);
    ASSERT_FALSE(tiles.empty() || reads_x_far_away(block));
    ASSERT_GT(1 << tiles.front().lane_bits, warp_size);
    check_tiles<TypeParam>(pattern, {1, 0}, this->backend_);
  }
}

// Rows too unequal to be streamed: a thread takes four or eight nonzeros, and one row is cut into pieces.
TYPED_TEST(FormatsCuda, EvenTiles) {
  const auto length = [](lidx i) { return i == 1001 ? 30'000 : i % 50 == 7 ? 0 : i % 8 == 0 ? 200 : 1; };
  struct Case {
    lidx rows;
    int items;
    std::vector<std::size_t> values;
  };
  for (const Case& c :
       {Case{12'000, few_tile_items, {1, 30, 300, 0}}, Case{80'000, most_tile_items, {1, 0}}}) {
    const Pattern pattern = strided_pattern(c.rows, 7, length);
    const Csr<TypeParam> block = make_block<TypeParam>(pattern);
    ASSERT_TRUE(make_streamed_tiles(block.row_ptr).empty());
    ASSERT_EQ(tile_items(block.nonzeros()), c.items);
    check_tiles<TypeParam>(pattern, c.values, this->backend_);
  }
}

// Rows of similar length, which could be streamed, in a pattern that is faster in even tiles.
TYPED_TEST(FormatsCuda, EvenTilesOfColumnsAnywhere) {
  const Pattern pattern =
      random_pattern("columns anywhere", 60'000, 200'000, [](lidx i) { return i % 9 == 0 ? 0 : 12; });
  const Csr<TypeParam> block = make_block<TypeParam>(pattern);
  ASSERT_TRUE(reads_x_far_away(block) && !make_streamed_tiles(block.row_ptr).empty());
  check_tiles<TypeParam>(pattern, {1, 0}, this->backend_);
}

// Slices of few patterns, which are multiplied in groups, beside slices outside any group: with one thread
// per row, which groups of any number have, and enough slices to be grouped by default.
TYPED_TEST(FormatsCuda, GroupsAndOtherSlices) {
  using T = TypeParam;
  for (const lidx rows : {lidx{96} * 40 + 5, lidx{110'000}}) {
    Pattern pattern{std::to_string(rows) + " rows", rows, {}};
    std::vector<T> values;
    for (lidx i = 0; i < rows; ++i) {
      pattern.rows.emplace_back();
      const bool other = i % (96 * 7) == 40;
      for (const lidx to_line : {-1, 0, 1})
        for (const lidx to_point : {-1, 0, 1}) {
          const lidx d = 96 * to_line + to_point, point = i % 96 + to_point;
          if (i + d < 0 || i + d >= rows || point < 0 || point >= 96) continue;
          pattern.rows.back().push_back(i + d);
          values.push_back(T(static_cast<RealOf<T>>(other ? i % 1000 : d) / 8));
        }
    }
    Csr<T> block = make_block<T>(pattern);
    block.value = values;
    const ProductCheck<T> check(block, false, this->backend_);
    const ColumnsCheck<T> check_columns = check.of_columns(block, false);
    const FormatOptions options{.threads_per_row = rows < 10'000 ? 1 : 0};
    for (const std::vector<lidx>& row_list : {std::vector<lidx>{}, sparse_row_list(rows)}) {
      const auto op =
          pick(formats<T>(), "sell_packed", "format").make({block, row_list, options, this->backend_});
      FormatOptions small_blocks = options;
      small_blocks.threads_per_block = 64;
      const auto relaunched = op->relaunched(small_blocks);
      for (const Update update : {Update::assign, Update::add}) {
        SCOPED_TRACE(pattern.name + (row_list.empty() ? "" : ", row list") +
                     (update == Update::add ? ", add" : ""));
        check(*op, row_list, update);
        check(*relaunched, row_list, update);
        for (const int k : {2, 6, 8}) check_columns(*op, row_list, update, k);
      }
    }
  }
}

}  // namespace
}  // namespace spmv::test
