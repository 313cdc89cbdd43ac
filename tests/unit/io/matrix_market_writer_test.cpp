// The exact text of written matrices, and gzip files of several members.
#include "io/matrix_market_writer.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/value_type.hpp"
#include "io/gzip_pieces.hpp"
#include "io/matrix_market.hpp"
#include "io/text.hpp"

namespace spmv::test {
namespace {

template <class T>
RowBlock<T> row_of(const std::vector<T>& values) {
  RowBlock<T> block;
  block.first_row = 41;
  block.row_ptr = {0, static_cast<offset>(values.size())};
  for (std::size_t k = 0; k < values.size(); ++k) block.col.push_back(static_cast<gidx>(10 * k));
  block.value = values;
  return block;
}

/// The contents of an in-memory file.
std::string text_of(const std::string& file) {
  const Text text("a file", file);
  const auto source = open_text(text, 0);
  std::string all(1 << 20, ' ');
  std::size_t used = 0;
  while (const std::size_t read = source->read(all.data() + used, all.size() - used)) used += read;
  all.resize(used);
  return all;
}

TEST(MatrixMarketWriter, HeadAndLinesByHand) {
  EXPECT_EQ(matrix_market_head({3, 4}, 5, false, "two\nlines"),
            "%%MatrixMarket matrix coordinate real general\n% two lines\n3 4 5\n");
  EXPECT_EQ(matrix_market_head({1, 1}, 0, true, ""),
            "%%MatrixMarket matrix coordinate complex general\n% \n1 1 0\n");
  EXPECT_EQ(matrix_market_lines(row_of<double>({1, -0.5, 0.1})), "42 1 1\n42 11 -0.5\n42 21 0.1\n");
  EXPECT_EQ(matrix_market_lines(row_of<std::complex<float>>({{1, -2.5}})), "42 1 1 -2.5\n");
  EXPECT_EQ(matrix_market_lines(row_of<float>({0.1F})), "42 1 0.10000000149011612\n");
  EXPECT_EQ(matrix_market_lines(row_of<double>({})), "");
  RowBlock<double> two;
  two.first_row = (gidx{1} << 60) - 1;
  two.row_ptr = {0, 0, 1};
  two.col = {(gidx{1} << 59) - 1};
  two.value = {-1.7976931348623157e308};
  EXPECT_EQ(matrix_market_lines(two), "1152921504606846977 576460752303423488 -1.7976931348623157e+308\n");
}

template <class T>
void expect_same_bits(const std::vector<T>& values) {
  const std::string file =
      matrix_market_head({100, 100'000}, static_cast<gidx>(values.size()), is_complex<T>, "") +
      matrix_market_lines(row_of(values));
  const Text text("a file", file);
  const auto part = read_part<T>(text, read_header(text), 0, 1, {});
  ASSERT_EQ(part.entries.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(part.entries[k].value, values[k]);
}

TEST(MatrixMarketWriter, WhatIsReadBackHasTheSameBits) {
  std::vector<double> d = {0, 1.0 / 3, -5e-324, std::numeric_limits<double>::max(), 1e22, 123456789.12345678};
  std::vector<float> f = {1.0F / 3, -1e-45F, std::numeric_limits<float>::max(), 16777217.0F};
  for (int k = 0; k < 5000; ++k) {
    d.push_back(std::sin(k) * std::pow(10.0, k % 600 - 300));
    f.push_back(std::sin(static_cast<float>(k)));
  }
  expect_same_bits(d);
  expect_same_bits(f);
  expect_same_bits(std::vector<std::complex<double>>{{1.0 / 3, -2.0 / 7}, {0, 1e-300}});
  expect_same_bits(std::vector<std::complex<float>>{{1.0F / 3, -2.0F / 7}});
}

TEST(GzipPieces, MakeOneFileOfTheirTexts) {
  std::string random;
  for (unsigned k = 0; k < 300'000; ++k) random += static_cast<char>('0' + k * k % 7919 % 10);
  const std::vector<std::vector<std::string>> texts = {
      {"one piece\n"}, {"a", "", "b\n", std::string(100'000, 'x')}, {random, "tail\n", random}, {}};
  for (const auto& pieces : texts) {
    GzipFrame frame;
    std::string file = GzipFrame::head(), whole;
    for (const std::string& text : pieces) {
      const GzipPiece piece = gzip_piece(text);
      frame.add(piece.checksum, piece.text_bytes);
      file += piece.packed;
      whole += text;
    }
    file += frame.tail();
    EXPECT_EQ(text_of(file), whole);
    if (whole.size() > 1000) {
      EXPECT_LT(file.size(), whole.size() * 3 / 4);
    }
  }
}

}  // namespace
}  // namespace spmv::test
