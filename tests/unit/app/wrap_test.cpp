#include "app/report/wrap.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Wrap, LinesBreakAtBlanksAndStandBelowEachOther) {
  EXPECT_EQ(wrapped("format  ", "one two three four", 16),
            "format  one two\n"
            "        three\n"
            "        four\n");
  EXPECT_EQ(wrapped("", "one two three", 13), "one two three\n") << "exactly one line wide";
  EXPECT_EQ(wrapped("", "one two three", 12), "one two\nthree\n");
  EXPECT_EQ(wrapped("a ", "", 10), "a\n");
  EXPECT_EQ(wrapped("", "  many   blanks ", 40), "many blanks\n");
}

TEST(Wrap, AWordThatIsWiderThanALineIsCut) {
  EXPECT_EQ(wrapped("> ", "see abcdefghijkl now", 8),
            "> see\n"
            "  abcdef\n"
            "  ghijkl\n"
            "  now\n");
}

TEST(Wrap, CharactersCountNotBytes) {
  EXPECT_EQ(columns_of("caf\u00e9 \u4e2d"), 6u);
  EXPECT_EQ(wrapped("", "\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9\u00e9", 8),
            "\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9\u00e9\n");
  EXPECT_EQ(wrapped("", "\u00e9\u00e9\u00e9\u00e9\u00e9", 3), "\u00e9\u00e9\u00e9\n\u00e9\u00e9\n")
      << "words must not be cut";
}

TEST(Wrap, OfALongNameBeginAndEndAreKept) {
  EXPECT_EQ(shortened("matrix.mtx", 10), "matrix.mtx");
  EXPECT_EQ(shortened("/scratch/someone/matrix.mtx", 15), "/scrat...ix.mtx");
  EXPECT_EQ(shortened("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 8),
            "\u00e9\u00e9...\u00e9\u00e9\u00e9");
}

}  // namespace
}  // namespace spmv::test
