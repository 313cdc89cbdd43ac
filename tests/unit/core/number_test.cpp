#include "core/number.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Number, IsAllOfAWord) {
  EXPECT_EQ(number_in<double>("1.5e5"), 150000.0);
  EXPECT_EQ(number_in<double>("+2.5"), 2.5);
  EXPECT_EQ(number_in<double>("-1"), -1.0);
  EXPECT_EQ(number_in<int>("+7"), 7);
  for (const char* word : {"", "+", "+-1", "-+1", "1,5", "1.5 ", " 1.5", "1.5x", "0x10", "1.234,5", "word"})
    EXPECT_FALSE(number_in<double>(word)) << word;
  EXPECT_FALSE(number_in<int>("1.5"));
  EXPECT_FALSE(number_in<int>("2147483648")) << "more than an int holds";
  EXPECT_FALSE(number_in<std::size_t>("-1"));
  EXPECT_FALSE(number_in<std::size_t>("max"));
}

TEST(Number, MayHaveCharactersBehindIt) {
  const auto cores = leading_number<int>("4(x2)");
  ASSERT_TRUE(cores);
  EXPECT_EQ(cores->number, 4);
  EXPECT_EQ(cores->rest, "(x2)");
  EXPECT_FALSE(leading_number<int>("x4"));
}

}  // namespace
}  // namespace spmv::test
