#include "app/run/take_turns.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// Takes a number of turns, and writes its name each time.
struct Taker {
  char name;
  int turns;
  std::string& told;

  bool wants_turn() const { return turns > 0; }
  void take_turn() {
    --turns;
    told += name;
  }
};

std::string order_of(const std::vector<int>& turns) {
  std::string told;
  std::vector<std::unique_ptr<Taker>> takers;
  for (const int each : turns)
    takers.push_back(std::make_unique<Taker>(Taker{static_cast<char>('a' + takers.size()), each, told}));
  take_turns(takers, [&](int round) { told += std::to_string(round); });
  return told;
}

TEST(TakeTurns, RoundsGoForwardsAndBackwards) {
  EXPECT_EQ(order_of({3, 3, 3}), "abc1cba2abc3");
}

TEST(TakeTurns, WhoWantsNoMoreLeavesTheOthersTheirTurns) {
  EXPECT_EQ(order_of({1, 3, 0, 2}), "abd1db2b3");
}

TEST(TakeTurns, NobodyWantsAny) {
  EXPECT_EQ(order_of({}), "");
  EXPECT_EQ(order_of({0, 0}), "");
}

}  // namespace
}  // namespace spmv::test
