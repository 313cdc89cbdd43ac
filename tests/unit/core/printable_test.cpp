#include "core/printable.hpp"

#include <string>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const std::string text : {"", "matrix.mtx", "a b\\x1b 'quoted'",
                                 "Gr\xc3\xb6\xc3\x9f"
                                 "e \xe2\x86\x92 \xf0\x9f\x98\x80",
                                 "\xc2\xa0\xed\x9f\xbf\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(Printable, NothingThatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("a\nspmv_dist: b\r\t\x7f"), "a\\x0aspmv_dist: b\\x0d\\x09\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "U+009B is ESC [ in one character";
  EXPECT_EQ(printable_lines("a\x1b\nb\n"), "a\\x1b\nb\n");
  EXPECT_EQ(valid_utf8("a\x1b\nb"), "a\x1b\nb");
}

TEST(Printable, BytesThatAreNoTextAreSeen) {
  EXPECT_EQ(valid_utf8("caf\xe9.mtx"), "caf\\xe9.mtx");
  EXPECT_EQ(printable("caf\xe9.mtx"), "caf\\xe9.mtx");
  EXPECT_EQ(valid_utf8("\xe9"), "\\xe9") << "cut off";
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(valid_utf8("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(valid_utf8("\xff\xc3\xb6\x80"), "\\xff\xc3\xb6\\x80");
}

}  // namespace
}  // namespace spmv::test
