// Valid files: every layout, field and symmetry, and every spelling that the standard allows or that is in
// use.
#include "support/matrix_market.hpp"

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

// Doubles represent all integers up to 2^53 exactly.
TEST(MatrixMarket, WholeValuesBeyondADoubleAreCounted) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.mtx",
                                        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 6\n"
                                        "1 1 9007199254740992\n2 1 9007199254740993\n2 2 -9007199254740993\n"
                                        "3 1 123456789012345678901\n3 2 -7\n3 3 +0009007199254740995\n");
  gidx beyond = 0;
  const MatrixMarketHeader header = read_header(path);
  for (int part = 0; part < 3; ++part) beyond += read_part<double>(path, header, part, 3, {}).beyond_exact;
  EXPECT_EQ(beyond, 4);
  EXPECT_EQ(rounding_warning(path, 0), "");
  EXPECT_NE(rounding_warning(path, 4).find("4 whole values are beyond 2^53"), std::string::npos);
}

TEST(MatrixMarket, EntriesThatAreNamedInBothTriangles) {
  const TemporaryFolder folder;
  const std::string body = "3 3 5\n2 1 1\n1 1 5\n2 1 2\n1 3 3\n1 2 4\n";
  const std::string path = folder.write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n" + body);
  const MatrixMarketHeader header = read_header(path);
  const auto part = read_part<double>(path, header, 0, 1, {});
  EXPECT_EQ(triangles(part, header).lower, 2);
  EXPECT_EQ(triangles(part, header).upper, 2);
  const auto marks = by_triangle(part, header);
  ASSERT_EQ(marks.size(), 4u);
  std::complex<float> at_2_1;
  for (const auto& mark : marks)
    if (mark.row == 1 && mark.col == 0) at_2_1 += mark.value;
  EXPECT_EQ(at_2_1, std::complex<float>(2, 1));
  const Error error = error_of([&] { refuse_both_triangles(path, header, {1, 1, 0}); });
  EXPECT_EQ(error.code(), ExitCode::input);
  EXPECT_NE(std::string(error.what()).find("declared symmetric"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("(2, 1) and (1, 2) are both there, and 1 such pair in all"),
            std::string::npos)
      << error.what();
  EXPECT_NO_THROW(refuse_both_triangles(path, header, {}));
  const std::string general = folder.write("g.mtx", "%%MatrixMarket matrix coordinate real general\n" + body);
  const MatrixMarketHeader any = read_header(general);
  EXPECT_EQ(triangles(read_part<double>(general, any, 0, 1, {}), any).lower, 0);
}

using Complex = std::complex<double>;
using Entries = std::vector<Entry<double>>;
using ComplexEntries = std::vector<Entry<Complex>>;

template <class T>
std::vector<Entry<T>> entries_of(const std::string& text, int parts = 1) {
  const TemporaryFolder folder;
  return sorted(read_whole<T>(folder.write("m.mtx", text), parts).entries);
}

std::string real(const std::string& rest) {
  return "%%MatrixMarket matrix coordinate real general\n" + rest;
}

double value_of(const std::string& token) {
  return entries_of<double>(real("1 1 1\n1 1 " + token + "\n")).at(0).value;
}

TEST(MatrixMarket, HeaderSaysSizesAndPlaces) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.mtx", real("% a comment\n\n 3\t4  2 \n1 1 5\n3 4 6\n"));
  const MatrixMarketHeader header = read_header(path);
  EXPECT_EQ(header.rows, 3);
  EXPECT_EQ(header.cols, 4);
  EXPECT_EQ(header.stored, 2);
  EXPECT_EQ(header.size_line, 4);
  EXPECT_EQ(header.data_begin, header.file_bytes - 12);
  EXPECT_FALSE(header.compressed);
}

TEST(MatrixMarket, CoordinateGeneralKeepsDuplicatesAndZeros) {
  const Entries expected{{0, 0, 0.0}, {0, 2, -2.5}, {1, 1, 1.0}, {1, 1, 4.0}};
  EXPECT_TRUE(same(entries_of<double>(real("2 3 4\n2 2 4\n1 3 -2.5\n1 1 0\n2 2 1\n")), expected));
}

TEST(MatrixMarket, AnyCaseSpacingCommentsAndLineEnds) {
  const std::string text =
      "%%mATRIXmARKET\tMatrix  COORDINATE Double General \r\n%\r\n \t% x\r\n  2 2 3\r\n\r\n\t1   1\t5 \t\r\n"
      "% between\r\n  %1 1 9\r\n \r\n+2 002 +6.\r\n0000000000000000000002 1 .5";
  EXPECT_TRUE(same(entries_of<double>(text), {{0, 0, 5.0}, {1, 0, 0.5}, {1, 1, 6.0}}));
}

TEST(MatrixMarket, SymmetricIsMirroredFromEitherTriangle) {
  const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n2 3 4\n";
  EXPECT_TRUE(same(entries_of<double>(text), {{0, 0, 1}, {0, 2, 2}, {1, 2, 4}, {2, 0, 2}, {2, 1, 4}}));
}

TEST(MatrixMarket, SkewSymmetricChangesSignAndMayNameAZeroDiagonal) {
  const std::string text = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n2 1 7\n2 2 0\n";
  EXPECT_TRUE(same(entries_of<double>(text), {{0, 1, -7}, {1, 0, 7}, {1, 1, 0}}));
}

TEST(MatrixMarket, HermitianIsConjugated) {
  const std::string text = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -2\n";
  EXPECT_TRUE(same(entries_of<Complex>(text), {{0, 0, {3, 0}}, {0, 1, {1, 2}}, {1, 0, {1, -2}}}));
}

TEST(MatrixMarket, ComplexSymmetricIsNotConjugated) {
  const std::string text = "%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 3 4\n2 1 1 -2\n";
  EXPECT_TRUE(same(entries_of<Complex>(text), {{0, 0, {3, 4}}, {0, 1, {1, -2}}, {1, 0, {1, -2}}}));
}

TEST(MatrixMarket, PatternIsOne) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n";
  EXPECT_TRUE(same(entries_of<double>(text), {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}}));
  EXPECT_TRUE(same(entries_of<Complex>(text), {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}}));
}

TEST(MatrixMarket, ArrayRunsDownTheColumns) {
  const std::string text = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n% half\n3\n4\n5\n6\n";
  const Entries expected{{0, 0, 1}, {0, 1, 3}, {0, 2, 5}, {1, 0, 2}, {1, 1, 4}, {1, 2, 6}};
  for (int parts : {1, 2, 3, 7}) EXPECT_TRUE(same(entries_of<double>(text, parts), expected)) << parts;
}

TEST(MatrixMarket, ArrayTriangles) {
  const std::string head = "%%MatrixMarket matrix array ";
  const Entries symmetric{{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {1, 0, 2}, {1, 1, 4},
                          {1, 2, 5}, {2, 0, 3}, {2, 1, 5}, {2, 2, 6}};
  const Entries skew{{0, 1, -1}, {0, 2, -2}, {1, 0, 1}, {1, 2, -3}, {2, 0, 2}, {2, 1, 3}};
  const ComplexEntries hermitian{{0, 0, 1}, {0, 1, {2, -3}}, {1, 0, {2, 3}}, {1, 1, 4}};
  for (int parts : {1, 2, 3, 7}) {
    EXPECT_TRUE(same(entries_of<double>(head + "real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", parts), symmetric))
        << parts;
    EXPECT_TRUE(same(entries_of<double>(head + "integer skew-symmetric\n3 3\n1\n2\n3\n", parts), skew))
        << parts;
    EXPECT_TRUE(same(entries_of<double>(head + "real skew-symmetric\n2 2\n7\n", parts),
                     Entries{{0, 1, -7}, {1, 0, 7}}))
        << parts;
    EXPECT_TRUE(same(entries_of<Complex>(head + "complex hermitian\n2 2\n1 0\n2 3\n4 0\n", parts), hermitian))
        << parts;
  }
}

TEST(MatrixMarket, NumbersAsTheyAreSpelled) {
  EXPECT_EQ(value_of("1.5e2"), 150.0);
  EXPECT_EQ(value_of("1.5E+02"), 150.0);
  EXPECT_EQ(value_of("1.5d2"), 150.0);
  EXPECT_EQ(value_of("-1.5D-02"), -0.015);
  EXPECT_EQ(value_of("+.5"), 0.5);
  EXPECT_EQ(value_of("-5."), -5.0);
  EXPECT_EQ(value_of("0.1"), 0.1);
  EXPECT_EQ(value_of("0.30000000000000004"), 0.1 + 0.2);
  EXPECT_EQ(value_of("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(value_of("1e-400"), 0.0);
  EXPECT_EQ(value_of("0.00001e-99999999999999999999"), 0.0);
  EXPECT_EQ(value_of("0e99999999999999999999"), 0.0);
  EXPECT_EQ(value_of("1" + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(value_of("0." + std::string(400, '0') + "1e401"), 1.0);
}

TEST(MatrixMarket, ValuesAreRoundedOnceToTheValueType) {
  const std::string text =
      real("1 1 1\n1 1 1.00000017881393432617187500001\n");  // just above the middle of two floats
  EXPECT_EQ(entries_of<float>(text).at(0).value, 1.0f + 2 * std::numeric_limits<float>::epsilon());
  EXPECT_EQ(entries_of<float>(real("1 1 1\n1 1 1e-60\n")).at(0).value, 0.0f);
  const std::string whole = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";
  EXPECT_EQ(entries_of<double>(whole + "-9007199254740993\n").at(0).value, -9007199254740992.0);
  EXPECT_EQ(entries_of<double>(whole + "36893488147419103232\n").at(0).value, 36893488147419103232.0);
  EXPECT_EQ(entries_of<float>(whole + "+16777217\n").at(0).value, 16777216.0f);
}

TEST(MatrixMarket, IdsAre64Bit) {
  const std::string text = real("1000000000000000000 5000000000 1\n999999999999999999 5000000000 2\n");
  EXPECT_TRUE(same(entries_of<double>(text), {{999999999999999998, 4999999999, 2.0}}));
}

TEST(MatrixMarket, NothingToRead) {
  EXPECT_TRUE(entries_of<double>(real("4 5 0\n"), 3).empty());
  EXPECT_TRUE(entries_of<double>(real("0 5 0"), 3).empty());
  EXPECT_TRUE(entries_of<double>("%%MatrixMarket matrix array real general\n0 5\n", 2).empty());
  EXPECT_TRUE(entries_of<double>("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 2).empty());
}

TEST(MatrixMarket, ProgressReachesItsTotal) {
  const TemporaryFolder folder;
  std::string text = real("1 1 100000\n");
  for (int i = 0; i < 100000; ++i) text += "1 1 0.5\n";
  for (const std::string& path : {folder.write("m.mtx", text), folder.write("m.mtx.gz", gzipped(text))}) {
    std::uint64_t latest = 0;
    std::uint64_t expected = 0;
    read_part<double>(path, read_header(path), 0, 1, [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_GE(done, latest);
      latest = done;
      expected = total;
    });
    EXPECT_GT(latest, 0u);
    EXPECT_EQ(latest, expected);
  }
}

}  // namespace
}  // namespace spmv::test
