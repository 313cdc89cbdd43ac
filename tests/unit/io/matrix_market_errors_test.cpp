// Invalid files: those in tests/data/invalid, one for each error, and damage that a repository cannot hold.
#include <complex>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/printable.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

struct Expected {
  int line;  // 0: the message names no line
  std::string text;
};

const std::map<std::string, Expected>& invalid_files() {
  static const std::map<std::string, Expected> files{
      {"empty", {0, "the file is empty"}},
      {"blank_only", {1, "begins with a blank"}},
      {"no_banner", {1, "begins with '3', so it is no Matrix Market file"}},
      {"banner_one_percent", {1, "begins with '%MatrixMarket'"}},
      {"banner_indented", {1, "begins with a blank"}},
      {"banner_short", {1, "the banner ends too early"}},
      {"banner_surplus", {1, "the line goes on with 'sparse'"}},
      {"banner_object", {1, "object is 'vector'"}},
      {"banner_format", {1, "format is 'dense'; known are: coordinate, array"}},
      {"banner_field", {1, "field is 'quaternion'; known are: real, double, integer, pattern, complex"}},
      {"banner_symmetry", {1, "symmetry is 'triangular'"}},
      {"byte_order_mark", {0, "with a byte order mark"}},
      {"carriage_returns", {1, "bare carriage return"}},
      {"array_pattern", {1, "cannot be pattern"}},
      {"hermitian_real", {1, "must be complex"}},
      {"skew_pattern", {1, "cannot be skew-symmetric"}},
      {"symmetric_rectangular", {3, "2 rows and 3 columns is not square"}},
      {"size_missing", {2, "ends before its size line"}},
      {"size_short", {2, "lacks the number of entries"}},
      {"size_surplus", {2, "the line goes on with '1'"}},
      {"size_negative", {2, "columns is -4"}},
      {"size_fraction", {2, "columns is '4.0', which is not a whole number"}},
      {"size_beyond_64_bits", {2, "'99999999999999999999' is beyond 64 bits"}},
      {"size_beyond_limit", {2, "must be at most 10^18"}},
      {"array_too_large", {2, "more than 10^18 values"}},
      {"row_zero", {4, "row 0 is outside 1..3; correct it or the size line; the line is '0 2 5'"}},
      {"row_beyond", {4, "row 4 is outside 1..3"}},
      {"column_zero", {3, "column 0 is outside 1..3"}},
      {"column_beyond", {3, "column 6 is outside 1..5"}},
      {"row_wraps_32_bits", {3, "row 4294967298 is outside 1..3"}},
      {"row_beyond_64_bits", {3, "row '36893488147419103233' is beyond 64 bits"}},
      {"row_negative", {3, "row -2 is outside 1..3"}},
      {"row_fraction", {3, "row is '2.0', which is not a whole number"}},
      {"row_word", {5, "row is 'two', which is not a whole number"}},
      {"column_missing", {3, "the column is missing"}},
      {"value_missing", {3, "the value is missing"}},
      {"value_word", {3, "the value is 'five', which is not a decimal number"}},
      {"value_dot", {3, "'.', which is not a decimal number"}},
      {"value_sign", {3, "'-', which is not a decimal number"}},
      {"value_two_signs", {3, "'+-5', which is not a decimal number"}},
      {"value_exponent_missing", {3, "'5e', which is not a decimal number"}},
      {"value_comma", {3, "'5,5', which is not a decimal number"}},
      {"value_hexadecimal", {3, "'0x1p3', which is not a decimal number"}},
      {"value_nan", {3, "the value is 'nan'"}},
      {"value_infinite", {3, "the value is '-Infinity'"}},
      {"value_overflow", {3, "'-1e309' does not fit in a double"}},
      {"value_overflow_long", {3, "does not fit in a double"}},
      {"value_nul", {3, "'5\\x00', which is not a decimal number"}},
      {"value_surplus", {3, "the line goes on with '6'"}},
      {"value_under_pattern", {3, "the line goes on with '5'"}},
      {"integer_fraction", {3, "'5.0', which is not a whole number; declare the field as real"}},
      {"integer_exponent", {4, "'1e3', which is not a whole number"}},
      {"integer_word", {3, "'asdf', which is not a whole number; the line is"}},
      {"imaginary_missing", {3, "the imaginary part is missing"}},
      {"imaginary_word", {3, "'i', which is not a decimal number"}},
      {"array_two_on_a_line", {3, "the line goes on with '5'"}},
      {"carriage_return_inside", {3, "the line goes on with '6'"}},
      {"carriage_return_before_sizes", {2, "the line goes on with '3'"}},
      {"skew_diagonal", {3, "zero diagonal"}},
      {"hermitian_diagonal", {3, "real diagonal"}},
      {"hermitian_array_diagonal", {6, "entry (2, 2)"}},
      {"entries_missing", {3, "promises 3 entries, but the file holds 2; it may be truncated"}},
      {"entries_surplus", {2, "promises 1 entry, but the file holds 2; correct the size line"}},
      {"entries_promised_beyond_memory", {2, "but the file holds 1"}},
      {"array_missing", {2, "promises 3 values, but the file holds 2"}},
      {"array_surplus", {2, "promises 1 value, but the file holds 2"}},
  };
  return files;
}

void expect_input_error(const Error& error, const std::string& where, const std::string& text) {
  const std::string message = error.what();
  EXPECT_EQ(error.code(), ExitCode::input) << message;
  EXPECT_EQ(message.rfind(where, 0), 0u) << message << "\n  should begin with " << where;
  EXPECT_NE(message.find(text), std::string::npos) << message << "\n  should contain " << text;
}

TEST(MatrixMarketErrors, EveryInvalidFileIsRefusedAtItsLine) {
  const TemporaryFolder folder;
  for (const auto& file : std::filesystem::directory_iterator(SPMV_TEST_DATA "/invalid")) {
    const auto expected = invalid_files().find(file.path().stem().string());
    ASSERT_NE(expected, invalid_files().end()) << file.path() << " has no row in this test";
    const auto& [line, text] = expected->second;
    const std::string plain = file.path().string();
    std::ifstream stream(plain, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    const std::string packed = folder.write(expected->first + ".mtx.gz", gzipped(content));
    const std::string suffix = line == 0 ? ": " : ":" + std::to_string(line) + ": ";
    for (int parts : {1, 2, 3, 7}) {
      expect_input_error(error_of([&] { read_whole<std::complex<double>>(plain, parts); }), plain + suffix,
                         text);
      if (content.empty()) continue;
      expect_input_error(error_of([&] { read_whole<std::complex<double>>(packed, parts); }), packed + suffix,
                         text);
    }
  }
}

TEST(MatrixMarketErrors, EveryRowOfTheTableHasItsFile) {
  for (const auto& [name, expected] : invalid_files()) {
    EXPECT_TRUE(std::filesystem::exists(SPMV_TEST_DATA "/invalid/" + name + ".mtx")) << name;
  }
}

TEST(MatrixMarketErrors, NoFileToRead) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& path, const std::string& text) {
    expect_input_error(error_of([&] { read_header(path); }), path + ": ", text);
  };
  refused(folder.path("absent.mtx"), "no such file");
  refused(folder.path("."), "is a directory");
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  refused(pipe, "is not a regular file");
  refused(folder.write("m.mtx.xz", std::string("\xfd"
                                               "7zXZ\0",
                                               6)),
          "packed by xz");
  refused(folder.write("m.mtx.bz2", "BZh9"), "packed by bzip2");
  refused(folder.write("m.mtx.zst", "\x28\xb5\x2f\xfd"), "packed by zstd");
  refused(folder.write("m.zip", "PK\x03\x04"), "zip archive");
  refused(
      folder.write("lfs.mtx", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
      "Git LFS pointer, not the file itself; fetch the file with 'git lfs pull'");
  for (const char* name : {"a\x1b[2J.mtx", "a\nspmv_dist: fine.mtx", "caf\xe9.mtx"})
    for (const char* text : {"", "x", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 x\n",
                             "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n"})
      expect_input_error(error_of([&] { read_whole<double>(folder.write(name, text)); }),
                         folder.path(printable(name)) + ":", "");
}

TEST(MatrixMarketErrors, AFileThatMayNotBeRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.mtx", "x");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  constexpr uid_t nobody = 65534;
  const uid_t self = geteuid();
  if (self == 0 && seteuid(nobody) != 0)
    GTEST_SKIP() << "root can read every file, and cannot become another user here";
  const Error error = error_of([&] { read_header(path); });
  ASSERT_EQ(seteuid(self), 0);
  expect_input_error(error, path + ": ", "cannot be opened");
}

TEST(MatrixMarketErrors, DamagedGzip) {
  const TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n9 9 20000\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(1 + i * i % 9) + " 1 0." + std::to_string(i) + "\n";
  const std::string good = gzipped(text);
  const auto refused = [&](const std::string& bytes, const std::string& expected) {
    const std::string path = folder.write("m.mtx.gz", bytes);
    for (int parts : {1, 3}) {
      expect_input_error(error_of([&] { read_whole<double>(path, parts); }), path + ": ", expected);
    }
  };
  refused(good.substr(0, 5), "ends too early");
  refused(good.substr(0, good.size() / 2), "ends too early");
  refused(good.substr(0, good.size() - 3), "ends too early");
  refused(good + "x", "something else follows");
  refused(good + std::string(8, '\0'), "something else follows");
  std::string checksum = good;
  checksum[good.size() - 7] = static_cast<char>(checksum[good.size() - 7] ^ 1);
  refused(checksum, "is corrupt (incorrect data check)");
  std::string length = good;
  length.back() = static_cast<char>(length.back() ^ 1);
  refused(length, "is corrupt (incorrect length check)");
  std::string method = good;
  method[2] = 1;
  refused(method, "is corrupt");
}

TEST(MatrixMarketErrors, GzipMembersOneAfterAnother) {
  const TemporaryFolder folder;
  const std::string bytes = gzipped("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1") +
                            gzipped("") + gzipped(" 4\n2 2 5\n");
  EXPECT_EQ(read_whole<double>(folder.write("m.mtx.gz", bytes), 2).entries.size(), 2u);
  const std::string path = folder.write("empty.mtx.gz", gzipped(""));
  expect_input_error(error_of([&] { read_header(path); }), path + ":1: ", "the text is empty");
}

TEST(MatrixMarketErrors, ComplexNeedsAComplexValueType) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("m.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n");
  const Error error = error_of([&] { read_whole<float>(path); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_NE(std::string(error.what()).find("--value complex_float"), std::string::npos) << error.what();
}

TEST(MatrixMarketErrors, AValueThatOnlyADoubleHolds) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e39\n");
  EXPECT_EQ(read_whole<double>(path).entries.at(0).value, 1e39);
  expect_input_error(error_of([&] { read_whole<float>(path); }), path + ":3: ", "does not fit in a float");
}

}  // namespace
}  // namespace spmv::test
