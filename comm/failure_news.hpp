// News of a failure, for ranks that wait for each other outside MPI: Communicator::together would notice it only after all of
// them have stopped waiting.
//
//   rank 0                                       rank 1
//
//   work: connects, news.check(), waits ...      work: throws
//   news.check() throws OtherRankFailed   ◄────  tells every other rank
//   both throw the AgreedError of rank 1
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "comm/communicator.hpp"
#include "core/as_error.hpp"

namespace spmv {

/// Another rank has failed, and its reason is the one to report.
class OtherRankFailed : public std::exception {
 public:
  const char* what() const noexcept override { return "another rank has failed"; }
};

/// Messages about failures, one from each rank that fails to each other rank; used by together_with_news alone, but for check().
class FailureNews {
 public:
  /// `ranks` must outlive it. Local.
  explicit FailureNews(const Communicator& ranks) : ranks_(ranks) {}
  /// Throws OtherRankFailed where another rank has told that it failed. Does not wait. Local, for loops that poll.
  void check();

 private:
  template <class Work>
  friend auto together_with_news(const Communicator& ranks, const Work& work);
  bool receive_one();
  /// To all other ranks; `failed`: whether this one has anything to tell. Returns when all news have come, so that no message is
  /// left. Collective.
  void settle(bool failed);

  const Communicator& ranks_;
  int received_ = 0;
};

/// Communicator::together for `work(FailureNews&)` that returns a value and waits for other ranks outside of MPI, calling check()
/// meanwhile: a failure of any rank ends the wait of all, and what all of them throw is the reason of one that failed by itself.
/// Collective; throws AgreedError.
template <class Work>
auto together_with_news(const Communicator& ranks, const Work& work) {
  FailureNews news(ranks);
  std::optional<Error> failure;
  std::optional<std::decay_t<decltype(work(news))>> result;
  try {
    result.emplace(work(news));
  } catch (const OtherRankFailed&) {
    result.reset();  // what that rank says is what all ranks throw
  } catch (const std::exception& thrown) {
    failure = as_error(thrown);
  }
  news.settle(failure.has_value());
  ranks.agree(failure);
  return std::move(*result);
}

}  // namespace spmv
