// Files that cannot be read: the message says what they contain.
#include "io/other_files.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/matrix_market.hpp"
#include "support/tar.hpp"

namespace spmv::test {
namespace {

std::string bytes(std::initializer_list<int> numbers) {
  std::string text;
  for (const int number : numbers) text += static_cast<char>(number);
  return text;
}

std::string big(std::initializer_list<int> numbers, int width = 4) {
  std::string text;
  for (const int number : numbers)
    for (int byte = width - 1; byte >= 0; --byte)
      text += static_cast<char>(byte < 4 ? number >> (8 * byte) & 0xff : 0);
  return text;
}

std::string zip_of(const std::string& name) {
  std::string header = std::string("PK\x03\x04", 4) + std::string(26, '\0');
  header[26] = static_cast<char>(name.size());
  return header + name + "data";
}

std::string utf16(const std::string& text, bool high_first) {
  std::string wide;
  for (const char c : text) wide += high_first ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

struct ForeignFile {
  std::string bytes;
  const char* words;  // the message's words after "is "
};

std::vector<ForeignFile> foreign_files() {
  return {
      {bytes({0x1f, 0x9d, 1}), "packed by compress; unpack it with: gzip -dc a.dat > a.dat.unpacked"},
      {"\xfd"
       "7zXZ",
       "packed by xz; unpack it with: xz -dc a.dat > a.dat.unpacked"},
      {"BZh9", "packed by bzip2; unpack it with: bzip2 -dc "},
      {"\x28\xb5\x2f\xfd", "packed by zstd; unpack it with: zstd -dc "},
      {"\x04\x22\x4d\x18", "packed by lz4"},
      {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
      {"Rar!\x1a\x07", "a RAR archive"},
      {zip_of("indices.npy"),
       "a NumPy archive (.npz); write it as Matrix Market with: python3 -m spmv_dist.market a.dat -o a.dat.mtx"},
      {zip_of("a/a.mtx"), "a zip archive; unpack it with: unzip a.dat"},
      {"\x93NUMPY\x01{'descr': '<f8'}", "a NumPy array (.npy)"},
      {"MATLAB 5.0 MAT-file, Platform", "a MATLAB file (.mat)"},
      {"MATLAB 7.3 MAT-file, Platform", "a MATLAB file (.mat)"},
      {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
      {big({1211214, 2}) + std::string(16, '\0'), "a PETSc vector"},
      {big({1211214, 2}, 8) + std::string(32, '\0'), "a PETSc vector"},
      {big({1211218, 2}), "a PETSc index set"},
      {bytes({0x50, 0x7b, 0x12, 0, 1, 0, 0, 0}), "a PETSc matrix with the lowest byte first"},
      {bytes({0x50, 0x7b, 0x12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}),
       "a PETSc matrix with the lowest byte first"},
      {"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer, not the file itself"},
      {"\x7f"
       "ELF\x02",
       "a program or shared library (ELF)"},
      {"%PDF-1.5\n", "a PDF document"},
      {"\x89PNG\r\n\x1a\n" + std::string(3, '\0'), "not a text, and of no kind that the program knows"},
      {"<!DOCTYPE HTML>\n", "a web page (HTML)"},
      {"<html lang=en>", "a web page (HTML)"},
      {"<?xml version=\"1.0\"?>", "a web page (HTML) or XML"},
      {"\xff\xfe" + utf16("%%MatrixMarket", false),
       "text in UTF-16 or UTF-32; write it in ASCII with: iconv -f UTF-16 -t ASCII a.dat > a.dat.mtx"},
      {"\xfe\xff" + utf16("%%MatrixMarket", true), "text in UTF-16"},
      {"\xef\xbb\xbf%%MatrixMarket matrix",
       "text with a byte order mark; remove the mark with: tail -c +4 a.dat > a.dat.mtx"},
      {bytes({'a', 0, 'b', 1}), "not a text, and of no kind that the program knows"},
  };
}

TEST(OtherFiles, EveryKindIsKnownByItsBytes) {
  for (const ForeignFile& sample : foreign_files()) {
    const Error error = error_of([&] { read_header(Text("a.dat", sample.bytes)); });
    const std::string expected = std::string("a.dat: is ") + sample.words;
    EXPECT_EQ(error.code(), ExitCode::input) << expected;
    EXPECT_EQ(std::string(error.what()).rfind(expected, 0), 0u)
        << error.what() << "\n  should begin with " << expected;
  }
}

TEST(OtherFiles, InsideGzipTheyAreToBeUnpackedFirst) {
  for (const ForeignFile& sample : foreign_files()) {
    const std::string packed = gzipped(sample.bytes);
    const std::string message = error_of([&] { read_header(Text("m.dat.gz", packed)); }).what();
    const std::string kind = std::string(sample.words).substr(0, std::string(sample.words).find(';'));
    EXPECT_EQ(message.rfind("m.dat.gz: is " + kind, 0), 0u) << message;
    EXPECT_TRUE(message.ends_with(" inside gzip; unpack it with: gzip -dc m.dat.gz > m.dat.gz.unpacked"))
        << message;
  }
  for (const std::string& bytes : {big({1211216, 1, 1, 0, 0}), std::string("\x1f\x8b\x08")})
    EXPECT_NE(
        std::string(error_of([&] { read_header(Text("m", gzipped(bytes))); }).what()).find(" inside gzip"),
        std::string::npos);
}

TEST(OtherFiles, InAnArchiveTheyAreToBeExtractedFirst) {
  const std::string archive = tar_member("a/a.mtx", "%PDF-1.5\n") + tar_end();
  EXPECT_STREQ(error_of([&] { read_header(in_archive(Text("a.tar", archive))); }).what(),
               "a.tar:a/a.mtx: is a PDF document; extract it with: tar -xf a.tar a/a.mtx");
}

TEST(OtherFiles, CommandsHaveTheNameAsAShellTakesItAndNeverWriteOverIt) {
  const auto advice = [](const std::string& name, const std::string& bytes) {
    const std::string message = error_of([&] { read_header(Text(name, bytes)); }).what();
    return message.substr(message.find(name) + name.size());
  };
  EXPECT_NE(advice("d/it's a.xz",
                   "\xfd"
                   "7zXZ")
                .find("xz -dc 'd/it'\\''s a.xz' > 'it'\\''s a.xz'.unpacked"),
            std::string::npos);
  EXPECT_NE(advice("d/a.b.mtx", "\xef\xbb\xbf").find("tail -c +4 d/a.b.mtx > a.b.mtx.mtx"),
            std::string::npos);
}

TEST(OtherFiles, TextsThatAreNothingElseAreRefusedAtTheirFirstLine) {
  for (const char* text : {"hello world\n", "3\n", "1 2 3\n1 2 3\n", "a,b\nc,d\n", "[[1, 2]]\n",
                           "#!/bin/sh\n", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"}) {
    const std::string message = error_of([&] { read_header(Text("m", text)); }).what();
    EXPECT_NE(message.find("m:1: the file begins with "), std::string::npos) << message;
    EXPECT_NE(message.find("'python3 -m spmv_dist.market' makes one of a list of entries"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace spmv::test
