#include "core/shell_words.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(ShellWords, WhatIsNotPlainIsQuoted) {
  EXPECT_EQ(shell_word("--format=csr,pjds"), "--format=csr,pjds");
  EXPECT_EQ(shell_word("/a/b-c_1.mtx"), "/a/b-c_1.mtx");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("A=b"), "'A=b'") << "would be an assignment";
  EXPECT_EQ(shell_word("a b#$(c)"), "'a b#$(c)'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("a\n'1"), R"($'a\012\'1')") << "one line, and digits after it stay separate";
  EXPECT_EQ(shell_word("\\\x1b"), R"($'\\\033')");
  EXPECT_EQ(shell_words({"a", "b c"}), "a 'b c'");
}

}  // namespace
}  // namespace spmv::test
