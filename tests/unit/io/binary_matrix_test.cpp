// .spmv files in memory: valid ones are read correctly, and every error is noticed.
#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "io/binary/binary_rows.hpp"
#include "support/binary_file.hpp"
#include "support/read_binary.hpp"

namespace spmv::test {
namespace {

template <class T>
void expect_equal(const RowBlock<T>& a, const RowBlock<T>& b) {
  EXPECT_EQ(a.first_row, b.first_row);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(a.value, b.value);
}

template <class T>
std::uint32_t code_of() {
  std::uint32_t code = 0, found = 0;
  for_each_value_type([&](auto tag) {
    ++code;
    if (std::is_same_v<T, typename decltype(tag)::Type>) found = code;
  });
  return found;
}

template <class T>
class BinaryValues : public testing::Test {};
using AllTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BinaryValues, AllTypes);

TYPED_TEST(BinaryValues, AreReadAsTheyAre) {
  RowBlock<TypeParam> block = small_block<TypeParam>();
  if constexpr (is_complex<TypeParam>) block.value[3] = TypeParam(4, -5);
  const std::string text = binary_file(block, 7, code_of<TypeParam>()).text();
  expect_equal(all_rows<TypeParam>(text), block);
  EXPECT_EQ(type_of(index_of(text).header.value), value_name<TypeParam>());
}

TYPED_TEST(BinaryValues, OfAPatternAreOne) {
  RowBlock<TypeParam> block = small_block<TypeParam>();
  const std::string text = binary_file(block, 7, 0).text();
  std::fill(block.value.begin(), block.value.end(), TypeParam(1));
  expect_equal(all_rows<TypeParam>(text), block);
}

TYPED_TEST(BinaryValues, AreConvertedFromReal) {
  expect_equal(all_rows<TypeParam>(binary_file(small_block<float>(), 7, 1).text()), small_block<TypeParam>());
  expect_equal(all_rows<TypeParam>(binary_file(small_block<double>(), 7, 2).text()),
               small_block<TypeParam>());
}

TYPED_TEST(BinaryValues, AreEncodedAsTheyStand) {
  const RowBlock<TypeParam> block = small_block<TypeParam>();
  std::string bytes(block.value.size() * sizeof(TypeParam), '\0');
  encode_values(block.value.data(), block.value.size(), bytes.data());
  EXPECT_EQ(bytes, raw_array<TypeParam>(block.value));
}

TEST(BinaryMatrix, ComplexValuesAreRefusedForARealType) {
  const std::string text = binary_file(small_block<std::complex<double>>(), 7, 4).text();
  try {
    all_rows<double>(text);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
  }
}

TEST(BinaryMatrix, AnyRowsCanBeReadAlone) {
  const RowBlock<double> whole = small_block<double>();
  const std::string text = binary_file(whole, 7, 2).text();
  for (gidx first = 0; first <= 5; ++first)
    for (gidx count = 0; first + count <= 5; ++count) {
      const RowBlock<double> part = rows_of<double>(text, first, count);
      const auto begin = whole.row_ptr[static_cast<std::size_t>(first)];
      ASSERT_EQ(part.rows(), count);
      EXPECT_EQ(part.first_row, first);
      for (gidx i = 0; i <= count; ++i)
        EXPECT_EQ(part.row_ptr[static_cast<std::size_t>(i)],
                  whole.row_ptr[static_cast<std::size_t>(first + i)] - begin);
      EXPECT_TRUE(std::equal(part.col.begin(), part.col.end(), whole.col.begin() + begin));
      EXPECT_TRUE(std::equal(part.value.begin(), part.value.end(), whole.value.begin() + begin));
      EXPECT_EQ(part.value.size(), part.col.size());
    }
}

TEST(BinaryMatrix, RowsMayReachOverManyBlocks) {
  RowBlock<double> whole;
  whole.row_ptr.clear();
  for (offset row = 0; row <= 3000; ++row) whole.row_ptr.push_back(row * 3);
  for (gidx row = 0; row < 3000; ++row)
    for (gidx k = 0; k < 3; ++k) {
      whole.col.push_back(row + k * 7);
      whole.value.push_back(static_cast<double>(row * 10 + k));
    }
  const std::string text = binary_file(whole, 5000, 2).text();
  expect_equal(all_rows<double>(text), whole);
  const RowBlock<double> part = rows_of<double>(text, 511, 1790);
  EXPECT_TRUE(std::equal(part.value.begin(), part.value.end(), whole.value.begin() + 3 * 511));
  EXPECT_TRUE(std::equal(part.col.begin(), part.col.end(), whole.col.begin() + 3 * 511));
}

TEST(BinaryMatrix, MayBeEmpty) {
  const RowBlock<double> no_rows, no_nonzeros{0, {0, 0, 0}, {}, {}};
  expect_equal(all_rows<double>(binary_file(no_rows, 0, 2).text()), no_rows);
  expect_equal(all_rows<double>(binary_file(no_rows, 9, 2).text()), no_rows);
  expect_equal(all_rows<double>(binary_file(no_nonzeros, 4, 2).text()), no_nonzeros);
}

TEST(BinaryMatrix, WideColumnsHave64Bits) {
  constexpr gidx cols = (gidx{1} << 32) + 1;
  const RowBlock<double> block{0, {0, 2}, {1, cols - 1}, {1, 2}};
  BinaryFile file = binary_file(block, cols, 2);
  expect_refused(file.text(), "do not fit in 4 bytes");
  file.column_bytes = 8;
  file.columns = raw_array<std::int64_t>(block.col);
  expect_equal(all_rows<double>(file.text()), block);
  EXPECT_EQ(column_bytes_for(cols - 1), 4U);
  EXPECT_EQ(column_bytes_for(cols), 8U);
}

TEST(BinaryMatrix, TheHeaderIsWrittenAsItIsRead) {
  BinaryFile file = binary_file(small_block<float>(), 7, 1);
  file.block_bytes = 8192;
  const std::string text = file.text();
  const BinaryIndex index = index_of(text);
  EXPECT_EQ(encode_header(index.header), text.substr(0, 4096));
  EXPECT_EQ(encode_checksums(index.checksums),
            text.substr(static_cast<std::size_t>(index.layout.table_begin)));
}

// Every byte: of header, row pointers, columns, values, partitions, padding and checksums.
TEST(BinaryMatrix, EveryChangedByteIsNoticed) {
  for (const std::string& whole :
       {binary_file(small_block<double>(), 7, 0).text(), binary_file(small_block<double>(), 7, 2).text(),
        partitioned_file().text()}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string text = whole;
      text[at] = static_cast<char>(text[at] ^ (1 << (at % 8)));
      try {
        read_all(text);
        ADD_FAILURE() << "byte " << at << " of " << whole.size();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input) << at << ": " << error.what();
      }
    }
  }
}

TEST(BinaryMatrix, EveryTruncationIsNoticed) {
  for (const std::string& whole :
       {binary_file(small_block<double>(), 7, 2).text(), partitioned_file().text()})
    for (std::size_t size = 1; size < whole.size(); ++size)
      expect_refused(whole.substr(0, size), "truncated");
}

TEST(BinaryMatrix, AppendedBytesAreNoticed) {
  const std::string whole = binary_file(small_block<double>(), 7, 2).text();
  for (const std::size_t more : {1, 3, 4, 4096, 100000})
    expect_refused(whole + std::string(more, '\0'), "something follows its end");
  expect_refused(whole + whole, "something follows its end");
}

/// A small file after `change`, with correct checksums.
template <class Change>
std::string changed(const Change& change) {
  BinaryFile file = binary_file(small_block<double>(), 7, 2);
  change(file);
  return file.text();
}

TEST(BinaryMatrix, HeadersOfOtherProgramsAreRefused) {
  expect_refused(changed([](BinaryFile& f) { f.version = 3; }), "version 3 of .spmv");
  expect_refused(changed([](BinaryFile& f) { f.version = 0; }), "version 0 of .spmv");
  expect_refused(changed([](BinaryFile& f) { f.header_bytes = 8192; }), "header bytes 8192");
  expect_refused(changed([](BinaryFile& f) { f.order_mark = 0x0102030405060708; }), "byte order");
  expect_refused(changed([](BinaryFile& f) { f.value = 5; }), "value type 5");
  expect_refused(changed([](BinaryFile& f) { f.column_bytes = 2; }), "column bytes 2");
  expect_refused(changed([](BinaryFile& f) { f.row_ptr_bytes = 4; }), "row pointer bytes 4");
  for (const std::uint32_t bytes : {0U, 2048U, 4097U, 12288U})
    expect_refused(changed([&](BinaryFile& f) { f.block_bytes = bytes == 0 ? 0x80000001U : bytes; }),
                   "block bytes");
  expect_refused(changed([](BinaryFile& f) { f.unused.back() = 1; }), "unused byte 4091");
  expect_refused(changed([](BinaryFile& f) { f.unused.front() = 1; }), "unused byte 76");
  expect_refused(changed([](BinaryFile& f) { f.longer_by = 4096; }), "length");
}

TEST(BinaryMatrix, SizesThatCannotBeAreRefused) {
  constexpr gidx huge = std::numeric_limits<gidx>::max();
  for (const gidx size : {gidx{-1}, huge}) {
    expect_refused(changed([&](BinaryFile& f) { f.rows = size; }), "which no matrix has");
    expect_refused(changed([&](BinaryFile& f) { f.cols = size; }), "which no matrix has");
    expect_refused(changed([&](BinaryFile& f) { f.nonzeros = size; }), "which no matrix has");
  }
  constexpr gidx large = 1'000'000'000'000'000'000;
  expect_refused(changed([](BinaryFile& f) { f.rows = large; }), "cannot hold");
  expect_refused(changed([](BinaryFile& f) { f.nonzeros = large; }), "cannot hold");
}

TEST(BinaryMatrix, RowsOutOfOrderAreRefused) {
  const auto with = [](std::vector<std::int64_t> row_ptr) {
    return changed([&](BinaryFile& f) { f.row_ptr = raw_array<std::int64_t>(row_ptr); });
  };
  expect_refused(with({0, 2, 3, 2, 6, 7}), "row 3 ends before it begins");
  expect_refused(with({1, 2, 2, 3, 6, 7}), "begin at nonzero 0 and end at 7");
  expect_refused(with({-1, 2, 2, 3, 6, 7}), "begin at nonzero 0 and end at 7");
  expect_refused(with({0, 2, 2, 3, 6, 6}), "begin at nonzero 0 and end at 7");
  expect_refused(with({0, 2, 2, 3, 6, 8}), "begin at nonzero 0 and end at 7");
  // Also on a rank that reads neither the first nor the last row.
  const std::string text = with({0, 2, 2, 3, 9, 9});
  EXPECT_THROW(rows_of<double>(text, 2, 2), Error);
}

TEST(BinaryMatrix, ColumnsOutOfOrderAreRefused) {
  const auto with = [](std::vector<std::uint32_t> columns) {
    return changed([&](BinaryFile& f) { f.columns = raw_array<std::uint32_t>(columns); });
  };
  expect_refused(with({0, 7, 3, 1, 2, 5, 4}), "columns of row 1");
  expect_refused(with({0, 6, 3, 2, 1, 5, 4}), "columns of row 4");
  expect_refused(with({0, 6, 3, 1, 1, 5, 4}), "columns of row 4");
  expect_refused(with({0, 6, 3, 1, 2, 5, 4000000000}), "columns of row 5");
  constexpr gidx largest = std::numeric_limits<gidx>::max();
  expect_refused(changed([&](BinaryFile& f) {
                   f.column_bytes = 8;
                   f.columns = raw_array<std::int64_t>(std::vector<gidx>{0, largest, 3, 1, 2, 5, 4});
                 }),
                 "column 9223372036854775807 follows 1");
}

TEST(BinaryMatrix, ValuesThatAreNoNumbersAreRefused) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, -inf, std::numeric_limits<double>::quiet_NaN()})
    expect_refused(changed([&](BinaryFile& f) {
                     f.values = raw_array<double>(std::vector{1., 2., 3., 4., bad, 6., 7.});
                   }),
                   "value of row 4");
  const std::string large = changed([&](BinaryFile& f) {
    f.values = raw_array<double>(std::vector{1., 2., 1e300, 4., 5., 6., 7.});
  });
  EXPECT_NO_THROW(all_rows<double>(large));
  try {
    all_rows<float>(large);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 3 is beyond the range of float"), std::string::npos)
        << error.what();
  }
}

TEST(BinaryMatrix, IsKnownByItsFirstBytes) {
  const std::string whole = binary_file(small_block<double>(), 7, 2).text();
  for (const std::size_t size : {1, 4, 5, 8, 64})
    EXPECT_TRUE(is_binary_matrix(whole.substr(0, size))) << size;
  EXPECT_FALSE(is_binary_matrix(""));
  EXPECT_FALSE(is_binary_matrix("%%MatrixMarket matrix"));
  EXPECT_FALSE(is_binary_matrix("\x89PNG\r\n\x1a\n"));
  std::string as_text = whole;
  as_text.erase(5, 1);  // CR LF became LF
  EXPECT_TRUE(is_binary_matrix(as_text.substr(0, 64)));
  expect_refused(as_text, "transfer as text");
}

}  // namespace
}  // namespace spmv::test
