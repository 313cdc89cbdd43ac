// Ranks that wait for each other outside MPI learn at once that one failed, and all get its reason.
#include "comm/failure_news.hpp"

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "comm/patience.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// The message of the error that all ranks throw. Ranks that do not fail wait until they hear of a failure.
std::string reason_where(const std::function<bool(int)>& fails) {
  const Communicator& ranks = world();
  try {
    together_with_news(ranks, [&](FailureNews& news) {
      if (fails(ranks.rank()))
        throw Error(ExitCode::environment, "reason of rank " + std::to_string(ranks.rank()));
      Patience patience;
      while (true) {
        news.check();
        patience.pause();
      }
      return 0;
    });
  } catch (const AgreedError& agreed) {
    EXPECT_EQ(agreed.code(), ExitCode::environment);
    return agreed.what();
  }
  return "nothing";
}

TEST(FailureNews, EveryRankLearnsWhyAnotherFailed) {
  const int last = world().size() - 1;
  for (int rank = 0; rank <= last; ++rank)
    EXPECT_EQ(reason_where([=](int mine) { return mine == rank; }), "reason of rank " + std::to_string(rank));
}

TEST(FailureNews, OfSeveralTheLowestIsHeard) {
  EXPECT_EQ(reason_where([](int) { return true; }), "reason of rank 0");
  EXPECT_EQ(reason_where([](int mine) { return mine > 0 || world().size() == 1; }),
            world().size() == 1 ? "reason of rank 0" : "reason of rank 1");
}

// A rank may have finished when another one fails: it still receives the message, although it no longer
// waits.
TEST(FailureNews, WhoIsThroughThrowsAsWell) {
  const Communicator& ranks = world();
  const auto work = [&](FailureNews&) {
    if (ranks.rank() == ranks.size() - 1) throw Error(ExitCode::memory, "too late");
    return 1;
  };
  EXPECT_THROW(together_with_news(ranks, work), AgreedError);
}

TEST(FailureNews, WithoutAFailureEveryRankHasItsResult) {
  const Communicator& ranks = world();
  const auto work = [&](FailureNews& news) {
    news.check();
    return std::make_unique<int>(3 * ranks.rank());
  };
  EXPECT_EQ(*together_with_news(ranks, work), 3 * ranks.rank());
}

}  // namespace
}  // namespace spmv::test
