#include "app/report/paint.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Paint, WholeWordsHaveColours) {
  EXPECT_EQ(painted("task 1.0 correct ##\n"), "task 1.0 \x1b[32mcorrect\x1b[0m ##\n");
  EXPECT_EQ(painted("WRONG: mode task"), "\x1b[31mWRONG\x1b[0m: mode task");
  EXPECT_EQ(painted("unchecked\nINCOMPLETE:"), "\x1b[33munchecked\x1b[0m\n\x1b[31mINCOMPLETE\x1b[0m:");
}

TEST(Paint, OtherTextStays) {
  for (const char* text : {"", "incorrect correct.mtx WRONGLY\n", "no word of it"})
    EXPECT_EQ(painted(text), text);
}

}  // namespace
}  // namespace spmv::test
