#include "comm/communicator.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

TEST(Communicator, Reductions) {
  const Communicator& c = world();
  const gidx me = c.rank(), n = c.size();
  EXPECT_EQ(c.sum(me + 1), n * (n + 1) / 2);
  EXPECT_EQ(c.max(-me), 0);
  EXPECT_EQ(c.min(-me), 1 - n);
  EXPECT_DOUBLE_EQ(c.sum(0.5), 0.5 * static_cast<double>(n));
  EXPECT_DOUBLE_EQ(c.max(static_cast<double>(me) / 4), static_cast<double>(n - 1) / 4);
  EXPECT_EQ(c.max(std::vector<double>{static_cast<double>(me), static_cast<double>(-me)}),
            (std::vector<double>{static_cast<double>(n - 1), 0}));
  EXPECT_EQ(c.sum(std::vector<gidx>{1, me == 0 ? gidx{1} << 40 : 0}), (std::vector<gidx>{n, gidx{1} << 40}));
}

TEST(Communicator, EmptyListsReduceToEmptyLists) {
  const Communicator& c = world();
  EXPECT_TRUE(c.max(std::vector<double>{}).empty());
  EXPECT_TRUE(c.sum(std::vector<gidx>{}).empty());
  EXPECT_TRUE(c.sum_below(std::vector<gidx>{}).empty());
}

TEST(Communicator, SumsOverTheRanksBelow) {
  const Communicator& c = world();
  const gidx me = c.rank();
  EXPECT_EQ(c.sum_below(me + 1), me * (me + 1) / 2);
  EXPECT_EQ(c.sum_below(std::vector<gidx>{5, 0}), (std::vector<gidx>{5 * me, 0}));
}

TEST(Communicator, Gathers) {
  const Communicator& c = world();
  const auto all = c.all_gather(10 * c.rank());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(c.size()));
  for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], static_cast<gidx>(10 * r));
  const auto texts = c.gather(std::string(static_cast<std::size_t>(c.rank()), 'x'));
  ASSERT_EQ(texts.size(), c.rank() == 0 ? static_cast<std::size_t>(c.size()) : 0u);
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
}

TEST(Communicator, GathersListsOnRank0) {
  const Communicator& c = world();
  const auto lists = c.gather(std::vector<int>(static_cast<std::size_t>(c.rank()), c.rank()));
  EXPECT_EQ(lists.data.size(), c.rank() == 0 ? static_cast<std::size_t>(c.size() * (c.size() - 1) / 2) : 0u);
  for (std::size_t r = 0; r < lists.counts.size(); ++r)
    EXPECT_EQ(lists.counts[r], c.rank() == 0 ? static_cast<offset>(r) : 0);
}

TEST(Communicator, AnyAndAll) {
  const Communicator& c = world();
  const bool last = c.rank() == c.size() - 1;
  EXPECT_TRUE(c.any_of(last));
  EXPECT_FALSE(c.any_of(false));
  EXPECT_EQ(c.all_of(last), c.size() == 1);
  EXPECT_TRUE(c.all_of(true));
}

TEST(Communicator, TheLowestRanksTextOnAllRanks) {
  const Communicator& c = world();
  const bool has_one = c.rank() > 0 || c.size() == 1;
  EXPECT_EQ(c.first_text(has_one ? "rank " + std::to_string(c.rank()) : ""),
            c.size() == 1 ? "rank 0" : "rank 1");
  EXPECT_EQ(c.first_text(""), "");
}

TEST(Communicator, Broadcasts) {
  const Communicator& c = world();
  EXPECT_EQ(c.broadcast(c.rank() == 0 ? "from rank 0" : "another, longer text"), "from rank 0");
  EXPECT_EQ(c.broadcast(c.rank() == 0 ? "" : "x"), "");
  const double mine = c.rank();
  EXPECT_EQ(c.broadcast(std::vector<double>{mine, mine + 0.5}), (std::vector<double>{0, 0.5}));
  EXPECT_TRUE(c.broadcast(std::vector<double>{}).empty());
}

/// Elements that rank s sends to rank r: (s + 2 r) % 4.
offset count_between(int source, int target) {
  return (source + 2 * target) % 4;
}

TEST(Communicator, ExchangesDifferentCountsInOrder) {
  const Communicator& c = world();
  std::vector<gidx> data;
  std::vector<offset> counts;
  for (int r = 0; r < c.size(); ++r) {
    counts.push_back(count_between(c.rank(), r));
    for (offset k = 0; k < counts.back(); ++k) data.push_back(1000 * c.rank() + 10 * r + k);
  }
  const auto received = c.all_to_all(data, counts);
  std::vector<gidx> expected;
  for (int s = 0; s < c.size(); ++s) {
    EXPECT_EQ(received.counts[static_cast<std::size_t>(s)], count_between(s, c.rank()));
    for (offset k = 0; k < count_between(s, c.rank()); ++k) expected.push_back(1000 * s + 10 * c.rank() + k);
  }
  EXPECT_EQ(received.data, expected);
}

TEST(Communicator, ExchangesNothing) {
  const Communicator& c = world();
  const auto received =
      c.all_to_all(std::vector<char>{}, std::vector<offset>(static_cast<std::size_t>(c.size()), 0));
  EXPECT_TRUE(received.data.empty());
  EXPECT_EQ(received.counts, std::vector<offset>(static_cast<std::size_t>(c.size()), 0));
}

TEST(Communicator, ExchangesFromOneRankOnly) {
  const Communicator& c = world();
  const auto ranks = static_cast<std::size_t>(c.size());
  const bool sends = c.rank() == c.size() - 1;
  const auto received =
      c.all_to_all(std::vector<double>(sends ? ranks : 0, 0.5), std::vector<offset>(ranks, sends ? 1 : 0));
  EXPECT_EQ(received.data, std::vector<double>{0.5});
}

TEST(Communicator, AgreesWhenNobodyFails) {
  world().agree(std::nullopt);
}

TEST(Communicator, AFailureOfTheLastRankIsEveryones) {
  const Communicator& c = world();
  std::optional<Error> mine;
  if (c.rank() == c.size() - 1) mine.emplace(ExitCode::input, "line 7 is broken");
  try {
    c.agree(mine);
    FAIL() << "nothing was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_EQ(error.what(), std::string("line 7 is broken"));
  }
}

TEST(Communicator, TheLowestRanksFailureWins) {
  const Communicator& c = world();
  const int first = c.size() / 2;
  try {
    c.together([&] {
      if (c.rank() < first) return;
      throw Error(c.rank() == first ? ExitCode::memory : ExitCode::input, "rank " + std::to_string(c.rank()));
    });
    FAIL() << "nothing was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_EQ(error.what(), "rank " + std::to_string(first));
  }
  c.barrier();  // all ranks arrive: the failure left none in a collective
}

TEST(Communicator, OtherExceptionsBecomeErrors) {
  const Communicator& c = world();
  const auto code_of = [&](const auto& work) {
    try {
      c.together(work);
    } catch (const AgreedError& error) {
      return error.code();
    }
    return ExitCode::ok;
  };
  EXPECT_EQ(code_of([] { throw std::bad_alloc(); }), ExitCode::memory);
  EXPECT_EQ(code_of([] { throw std::out_of_range("x"); }), ExitCode::internal);
  EXPECT_EQ(code_of([] {}), ExitCode::ok);
}

TEST(Communicator, TogetherReturnsEachRanksOwnResult) {
  const Communicator& c = world();
  EXPECT_EQ(c.together([&] { return 3 * c.rank(); }), 3 * c.rank());
}

TEST(Communicator, RanksOfThisTestShareANode) {
  const Communicator& c = world();
  const Communicator node = c.node();
  EXPECT_EQ(node.size(), c.size());
  EXPECT_EQ(node.rank(), c.rank());
}

// A message of one communicator must not reach a receive of another.
TEST(Communicator, CopiesShareDuplicatesDoNot) {
  const Communicator first = world();
  const Communicator copy = first;
  const Communicator other = first.duplicate();
  EXPECT_EQ(copy.handle(), first.handle());
  EXPECT_NE(other.handle(), first.handle());
}

/// Counts its objects.
class Counted {
 public:
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  ~Counted() { --alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int& alive_;
};
/// A second type.
class AlsoCounted : public Counted {
 public:
  using Counted::Counted;
};

TEST(Communicator, WhatIsAttachedIsSeenByCopiesOnly) {
  int alive = 0;
  const Communicator first = world().duplicate();
  EXPECT_EQ(first.attached<Counted>(), nullptr);
  const auto made = std::make_shared<Counted>(alive);
  const Communicator copy = first;
  first.attach(made);
  EXPECT_EQ(first.attached<Counted>(), made);
  EXPECT_EQ(copy.attached<Counted>(), made);
  EXPECT_EQ(first.duplicate().attached<Counted>(), nullptr);
  EXPECT_EQ(first.node().attached<Counted>(), nullptr);
  EXPECT_EQ(first.split(0).attached<Counted>(), nullptr);
  EXPECT_EQ(world().attached<Counted>(), nullptr);
  EXPECT_EQ(alive, 1);
}

TEST(Communicator, WhatIsAttachedHasItsTypesPlace) {
  int alive = 0;
  const Communicator c = world().duplicate();
  const auto one = std::make_shared<Counted>(alive);
  const auto other = std::make_shared<AlsoCounted>(alive);
  c.attach(one);
  c.attach(other);
  EXPECT_EQ(c.attached<Counted>(), one);
  EXPECT_EQ(c.attached<AlsoCounted>(), other);
  c.detach<Counted>();
  EXPECT_EQ(c.attached<Counted>(), nullptr);
  EXPECT_EQ(c.attached<AlsoCounted>(), other);
}

TEST(Communicator, WhatIsAttachedEndsWhenItIsDetachedOrReplaced) {
  int alive = 0;
  const Communicator c = world().duplicate();
  c.detach<Counted>();  // nothing is attached
  c.attach(std::make_shared<Counted>(alive));
  const Communicator copy = c;
  copy.detach<Counted>();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(c.attached<Counted>(), nullptr);
  c.attach(std::make_shared<Counted>(alive));
  c.attach(std::make_shared<Counted>(alive));
  EXPECT_EQ(alive, 1);
}

TEST(Communicator, WhatIsAttachedEndsWithTheLastCopy) {
  int alive = 0;
  std::optional<Communicator> c = world().duplicate();
  std::optional<Communicator> copy = c;
  c->attach(std::make_shared<Counted>(alive));
  c.reset();
  EXPECT_EQ(alive, 1);
  copy.reset();
  EXPECT_EQ(alive, 0);

  // Also when an exception leaves the scope.
  try {
    const Communicator inner = world().duplicate();
    inner.attach(std::make_shared<Counted>(alive));
    throw AgreedError(ExitCode::input, "all ranks know");
  } catch (const AgreedError&) {
  }
  EXPECT_EQ(alive, 0);

  // Other owners keep the object.
  std::shared_ptr<Counted> shared;
  {
    const Communicator inner = world().duplicate();
    inner.attach(std::make_shared<Counted>(alive));
    shared = inner.attached<Counted>();
  }
  EXPECT_EQ(alive, 1);
}

}  // namespace
}  // namespace spmv::test
