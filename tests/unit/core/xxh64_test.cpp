#include "core/xxh64.hpp"

#include <bit>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

std::uint64_t hash(std::string_view text, std::uint64_t seed = 0) {
  return xxh64(text.data(), text.size(), seed);
}

/// Expected values from the Python package xxhash.
TEST(Xxh64, HasTheNumbersOfItsSpecification) {
  if (std::endian::native != std::endian::little)
    GTEST_SKIP() << "the expected values are for little-endian processors";
  constexpr std::string_view text =
      "Nobody inspects the spammish repetition, and more text than that 0123456789";
  EXPECT_EQ(hash(""), 0xef46db3751d8e999U);
  EXPECT_EQ(hash("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(hash("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(hash(text), 0x29357e4fa28e0909U);
  EXPECT_EQ(hash(text, 123), 0x3e129eb5e449ef1bU);
}

/// Every bit of a text matters, and so does its position.
TEST(Xxh64, EveryBitCounts) {
  std::string text = "1 1 2.5\n1 2 -1.5\n2 1 0.25\n2 2 1e-3\n3 3 7.75\n";
  std::set<std::uint64_t> seen{hash(text)};
  for (char& c : text)
    for (int bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(c ^ 1 << bit);
      EXPECT_TRUE(seen.insert(hash(text)).second);
      c = static_cast<char>(c ^ 1 << bit);
    }
  EXPECT_TRUE(seen.insert(hash(text, 1)).second) << "the seed must matter";
}

}  // namespace
}  // namespace spmv::test
