// Rounds in which ranks add up their sums, played with texts in place of numbers: the same text is the same bits.
#include "dist/solve/sum_rounds.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/combine/sum_in_pairs.hpp"

namespace spmv::test {
namespace {

using Rounds = std::vector<std::vector<SumRound>>;  // of every rank

Rounds rounds_of_all(const std::vector<int>& node, RoundLimits limits) {
  Rounds all;
  for (int rank = 0; rank < static_cast<int>(node.size()); ++rank)
    all.push_back(sum_rounds(node, rank, limits));
  return all;
}

std::vector<int> nodes(int ranks, int per_node, bool in_turns) {
  const int count = (ranks + per_node - 1) / per_node;
  std::vector<int> node;
  for (int rank = 0; rank < ranks; ++rank) node.push_back(in_turns ? rank % count : rank / per_node);
  return node;
}

/// Every sum that is taken is sent, and two ranks meet once at most.
void check_messages(const Rounds& all) {
  std::set<std::pair<int, int>> met;
  for (std::size_t k = 0; k < all[0].size(); ++k) {
    std::set<std::pair<int, int>> taken, sent;
    for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
      const SumRound& round = all[static_cast<std::size_t>(rank)][k];
      EXPECT_EQ(std::count(round.from.begin(), round.from.end(), rank), 1);
      for (const int other : round.from)
        if (other != rank) taken.insert({other, rank});
      for (const int other : round.to) sent.insert({rank, other});
    }
    EXPECT_EQ(taken, sent);
    for (const auto& message : sent) EXPECT_TRUE(met.insert(message).second);
  }
}

/// What a rank has instead of a sum.
struct Text {
  std::string text;
  friend Text operator+(const Text& a, const Text& b) { return {"(" + a.text + "+" + b.text + ")"}; }
};

/// Plays the rounds; the texts that all ranks have in the end.
std::vector<std::string> play(const Rounds& all) {
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) texts.push_back(std::to_string(rank));
  for (std::size_t k = 0; k < all[0].size(); ++k) {
    const std::vector<std::string> before = texts;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const std::vector<int>& from = all[rank][k].from;
      texts[rank] = sum_in_pairs<Text>(static_cast<int>(from.size()), [&](int i) {
                      return Text{before[static_cast<std::size_t>(from[static_cast<std::size_t>(i)])]};
                    }).text;
    }
  }
  return texts;
}

/// The numbers in a text, ascending.
std::vector<int> numbers_in(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; }, ' ');
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    numbers.push_back(std::stoi(text.substr(at, end - at)));
    at = end;
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(SumRounds, AllRanksAddTheSameInTheSameOrder) {
  for (const RoundLimits limits : {RoundLimits{}, {2, 2}, {3, 2}, {4, 3}})
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 33, 70})
      for (const int per_node : {1, 2, 3, 8, 100})
        for (const bool in_turns : {false, true}) {
          SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(per_node) + " a node, at most " +
                       std::to_string(limits.of_node) + " and " + std::to_string(limits.of_teams));
          const Rounds all = rounds_of_all(nodes(ranks, per_node, in_turns), limits);
          for (const auto& of_rank : all) ASSERT_EQ(of_rank.size(), all[0].size());
          if (ranks > 1) check_messages(all);
          const std::vector<std::string> texts = play(all);
          for (const std::string& text : texts) ASSERT_EQ(text, texts[0]);
          std::vector<int> every;
          for (int rank = 0; rank < ranks; ++rank) every.push_back(rank);
          EXPECT_EQ(numbers_in(texts[0]), every);
        }
}

TEST(SumRounds, AreThoseOfASingleNode) {
  for (const int per_node : {1, 2, 4, 8, 16})
    for (const int count : {2, 3, 6, 7, 9, 17}) {
      SCOPED_TRACE(std::to_string(count) + " nodes of " + std::to_string(per_node));
      const int ranks = count * per_node;
      const auto text = [&](int of_node) { return play(rounds_of_all(nodes(ranks, of_node, false), {}))[0]; };
      ASSERT_EQ(text(per_node), text(ranks));
    }
}

TEST(SumRounds, FewRanksOfANodeSendToEachOther) {
  const std::vector<SumRound> rounds = sum_rounds(nodes(4, 4, false), 1);
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].from, (std::vector<int>{0, 1, 2, 3}));
  const HaloPlan plan = sums_plan(rounds[0], 1, {0, 1, 2});
  ASSERT_EQ(plan.neighbours.size(), 3U);
  EXPECT_EQ(plan.neighbours[1].rank, 2);
  EXPECT_EQ(plan.neighbours[1].send_offset, 3);
  EXPECT_EQ(plan.neighbours[2].receive_offset, 6);
  EXPECT_EQ(plan.ghosts, 9);
  EXPECT_EQ(plan.send_index, (std::vector<lidx>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(SumRounds, MessagesAreFew) {
  for (const int nodes_in_all : {1, 2, 8, 9, 64, 65, 512, 1024})
    for (const int per_node : {1, 4, 8}) {
      const int ranks = nodes_in_all * per_node;
      SCOPED_TRACE(std::to_string(nodes_in_all) + " nodes with " + std::to_string(per_node));
      const std::vector<SumRound> rounds = sum_rounds(nodes(ranks, per_node, false), 0);
      const RoundMessages messages = round_messages(ranks, per_node);
      ASSERT_EQ(rounds.size(), messages.near.size() + messages.far.size());
      for (std::size_t k = 0; k < rounds.size(); ++k) {
        const int most = k < messages.near.size() ? messages.near[k] : messages.far[k - messages.near.size()];
        EXPECT_EQ(static_cast<int>(rounds[k].from.size()) - 1, most);
        EXPECT_LE(most, k < messages.near.size() ? 31 : 5);
      }
      EXPECT_LE(messages.far.size(), 5U);
    }
}

}  // namespace
}  // namespace spmv::test
