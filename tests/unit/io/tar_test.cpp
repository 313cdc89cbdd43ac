// Tar archives: one Matrix Market file in them is read; all others are refused.
#include "io/tar.hpp"

#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/matrix_market.hpp"
#include "support/tar.hpp"

namespace spmv::test {
namespace {

const std::string matrix = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.5\n3 2 -2\n";

/// The entries; all numbers of parts and block sizes must give the same.
std::vector<Entry<double>> entries_of(const std::string& archive) {
  std::vector<Entry<double>> first;
  for (const int parts : {1, 2, 3, 7})
    for (const std::size_t block : {1, 7, 512, 4096}) {
      Text bytes("a.tar", archive);
      bytes.block_bytes = block;
      const auto read = sorted(read_whole<double>(in_archive(bytes), parts).entries);
      if (first.empty()) first = read;
      EXPECT_TRUE(same(first, read)) << parts << " parts, blocks of " << block;
    }
  return first;
}

Error refusal(const std::string& archive) {
  return error_of([&] { read_whole<double>(in_archive(Text("a.tar", archive)), 2); });
}

void expect_refused(const std::string& archive, const std::string& words) {
  const Error error = refusal(archive);
  EXPECT_EQ(error.code(), ExitCode::input) << error.what();
  EXPECT_EQ(std::string(error.what()).rfind("a.tar: is a tar archive, ", 0), 0u) << error.what();
  EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
      << error.what() << "\n  lacks " << words;
}

/// The name of the first member, as the reader sees it.
std::string name_in(const std::string& archive) {
  TarReader tar(open_text(Text("a.tar", archive), 0), "a.tar");
  const auto member = tar.next();
  return member ? member->name : "";
}

TEST(Tar, TheOnlyMatrixIsReadPlainAndPacked) {
  const std::string archive = tar_member("a/", "", '5') + tar_member("a/README", "words") +
                              tar_member("a/a.mtx", matrix) +
                              tar_member("a/more.txt", std::string(5000, 'x')) + tar_end();
  for (const std::string& bytes :
       {archive, gzipped(archive), gzipped(archive.substr(0, 700)) + gzipped(archive.substr(700))}) {
    EXPECT_EQ(entries_of(bytes).size(), 2u);
    const Text text = in_archive(Text("a.tar", bytes));
    EXPECT_EQ(text.name, "a.tar:a/a.mtx");
    EXPECT_EQ(text.file_name(), "a.tar");
  }
}

TEST(Tar, WhatIsNoArchiveIsLeftAsItIs) {
  for (const std::string& bytes : {matrix, gzipped(matrix), std::string(2000, '\0'), std::string("x")})
    EXPECT_EQ(in_archive(Text("m", bytes)).name, "m");
}

TEST(Tar, FaultsNameMemberAndLine) {
  const std::string archive =
      tar_member("a/a.mtx", "%%MatrixMarket matrix coordinate real general\n% x\n3 3 2\n1 1 1\n9 1 1\n") +
      tar_end();
  for (const std::string& bytes : {archive, gzipped(archive)})
    EXPECT_EQ(std::string(refusal(bytes).what()).rfind("a.tar:a/a.mtx:5: row 9 is outside 1..3", 0), 0u)
        << refusal(bytes).what();
}

TEST(Tar, OtherMatricesAreListedWithTheCommandForTheLikelyOne) {
  const std::string b = tar_member("q/q_b.mtx", matrix), a = tar_member("q/q.mtx", matrix);
  for (const std::string& bytes : {b + a + tar_end(), gzipped(a + tar_member("q/x", "x") + b + tar_end())}) {
    expect_refused(bytes, "2 .mtx files are in it: ");
    expect_refused(bytes, "extract the one to be read with: tar -xf a.tar q/q.mtx");
  }
}

TEST(Tar, OnlyFilesCountAndNotThoseOfMacOs) {
  const std::string others = tar_member("a/b.mtx", "", '2') + tar_member("a/c.mtx", "", '1') +
                             tar_member("a/d.mtx/", "", '5') +
                             tar_member("a/._a.mtx", std::string(300, '\x01'));
  EXPECT_EQ(entries_of(others + tar_member("a/a.MTX", matrix) + others + tar_end()).size(), 2u);
  expect_refused(others + tar_end(), "no .mtx file is in it, but a/._a.mtx;");
  expect_refused(tar_member("a/a.rb", "x") + tar_member("b", "x") + tar_end(),
                 "no .mtx file is in it, but a/a.rb, b; extract one with: tar -xf a.tar a/a.rb");
  expect_refused(tar_member("a/", "", '5') + tar_end(), "no .mtx file is in it");
}

TEST(Tar, LongNamesOfEveryKind) {
  const std::string name = std::string(150, 'd') + "/" + std::string(120, 'f') + ".mtx";
  EXPECT_EQ(name_in(tar_member("././@LongLink", name + '\0', 'L') + tar_member(name, matrix) + tar_end()),
            name);
  EXPECT_EQ(name_in(tar_member("g", pax_record("comment", "x"), 'g') +
                    tar_member("p", pax_record("mtime", "1.5") + pax_record("path", name), 'x') +
                    tar_member(name, matrix) + tar_end()),
            name);
  EXPECT_EQ(name_in(tar_header("a.mtx", tar_size(0), '0', "some/folder") + tar_end()), "some/folder/a.mtx");
  EXPECT_EQ(name_in(tar_member("/etc/../a.mtx", matrix)), "/etc/../a.mtx");
}

TEST(Tar, SizesOfEveryKind) {
  std::string wide(12, '\0');
  wide[0] = '\x80';
  wide[11] = static_cast<char>(matrix.size());
  const std::string data = padded(matrix);
  EXPECT_EQ(entries_of(tar_header("a.mtx", wide) + data + tar_end()).size(), 2u);
  EXPECT_EQ(entries_of(tar_header("a.mtx", fmt::format("{:10o} ", matrix.size())) + data + tar_end()).size(),
            2u);
  EXPECT_EQ(entries_of(tar_member("p", pax_record("size", std::to_string(matrix.size())), 'x') +
                       tar_header("a.mtx", tar_size(0)) + data + tar_end())
                .size(),
            2u);
  wide[1] = '\x7f';
  expect_refused(tar_member("x", "x") + tar_header("a.mtx", wide) + data, "header at byte 1024 is damaged");
  expect_refused(tar_member("x", "x") + tar_header("a.mtx", std::string(12, '\xff')) + data, "is damaged");
  expect_refused(tar_member("x", "x") + tar_header("a.mtx", "0000000008x") + data, "is damaged");
  expect_refused(tar_member("p", pax_record("size", "99999999999999999999"), 'x') + data, "pax header");
  expect_refused(tar_member("p", pax_record("size", "-1"), 'x') + data, "pax header");
}

TEST(Tar, WhatIsTruncatedOrDamagedIsRefused) {
  const std::string whole = tar_member("x", std::string(600, 'x')) + tar_member("a.mtx", matrix) +
                            tar_member("y", std::string(600, 'y'));
  EXPECT_EQ(entries_of(whole).size(), 2u);  // the end mark may be missing
  for (const std::size_t bytes : {513, 1000, 1535, 1600, 2047, 2100, 2559, 2700, 3600})
    expect_refused(whole.substr(0, bytes), "truncated; copy or download it again");
  std::string damaged = whole;
  damaged[1536] = 'A';
  expect_refused(damaged, "the header at byte 1536 is damaged");
  damaged = whole;
  damaged[2560] = 'Y';  // after the matrix
  expect_refused(damaged, "the header at byte 2560 is damaged");
  const std::string packed = gzipped(whole + tar_end());
  const Error error = refusal(packed.substr(0, packed.size() - 9));
  EXPECT_NE(std::string(error.what()).find("a.tar: the gzip data ends too early"), std::string::npos)
      << error.what();
}

TEST(Tar, HostileNamesAreRefused) {
  expect_refused(tar_header("././@LongLink", tar_size(1U << 30U), 'L') + tar_member("a.mtx", matrix),
                 "bytes of names");
  for (const char* records :
       {"", "x", "5 a=b", "99 path=a\n", "0 path=a\n", "4 a\n", "99999999999999999999 a=b\n"}) {
    const std::string archive = tar_member("p", records, 'x') + tar_member("a.mtx", matrix) + tar_end();
    if (*records == '\0')
      EXPECT_EQ(entries_of(archive).size(), 2u);
    else
      expect_refused(archive, "pax header");
  }
}

TEST(Tar, SparseFilesAreRefused) {
  const std::string pax =
      tar_member("p", pax_record("GNU.sparse.name", "b.mtx"), 'x') + tar_member("b", matrix);
  for (const std::string& sparse : {tar_member("a.mtx", matrix, 'S'), pax}) {
    const Error error = refusal(sparse + tar_end());
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_STREQ(error.what(),
                 "a.tar: is a tar archive with a sparse file, as tar --sparse makes it; extract the matrix "
                 "with: tar -xf a.tar");
  }
}

}  // namespace
}  // namespace spmv::test
