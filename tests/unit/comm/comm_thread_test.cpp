#include "comm/comm_thread.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// The parameter: sleeping, or spinning on a core.
class CommThreads : public testing::TestWithParam<int> {
 protected:
  std::shared_ptr<Backend> backend_ = make_host_backend({});
};
INSTANTIATE_TEST_SUITE_P(CommThread, CommThreads, testing::Values(-1, 0));

TEST_P(CommThreads, RunsEveryPieceOfWorkInOneOtherThread) {
  CommThread thread(backend_, GetParam());
  std::thread::id first;
  int done = 0;
  for (int i = 0; i < 2000; ++i) {
    std::thread::id here;
    thread.submit([&] {
      ++done;
      here = std::this_thread::get_id();
    });
    thread.join();
    ASSERT_EQ(done, i + 1);
    if (i == 0) first = here;
    ASSERT_EQ(here, first);
  }
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST_P(CommThreads, AnExceptionPassesThroughJoinAndTheThreadLivesOn) {
  CommThread thread(backend_, GetParam());
  for (int i = 0; i < 3; ++i) {
    thread.submit([] { throw std::runtime_error("no network"); });
    EXPECT_THROW(thread.join(), std::runtime_error);
    int done = 0;
    thread.submit([&] { done = 1; });
    thread.join();
    EXPECT_EQ(done, 1);
  }
}

TEST_P(CommThreads, LeavesWhenIdle) {
  { const CommThread never_used(backend_, GetParam()); }
  CommThread used(backend_, GetParam());
  used.submit([] {});
  used.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than it spins
}

TEST_P(CommThreads, WakesAfterALongPause) {
  CommThread thread(backend_, GetParam());
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    int done = 0;
    thread.submit([&] { done = 1; });
    thread.join();
    EXPECT_EQ(done, 1);
  }
}

/// A device that cannot be used from other threads.
class RefusingBackend final : public Backend {
 public:
  std::unique_ptr<Queue> make_queue(Priority) override { return nullptr; }
  std::unique_ptr<Event> make_event() override { return nullptr; }
  void* allocate(std::size_t, Memory) override { return nullptr; }
  void release(void*, Memory) noexcept override {}
  MemoryInfo memory() const override { return {}; }
  void use_in_this_thread() override { throw std::runtime_error("device lost"); }
  std::string describe() const override { return {}; }
  const char* name() const override { return "refusing"; }
};

TEST(CommThread, ADeviceThatCannotBeUsedIsReportedByJoin) {
  CommThread thread(std::make_shared<RefusingBackend>(), -1);
  bool ran = false;
  thread.submit([&] { ran = true; });
  EXPECT_THROW(thread.join(), std::runtime_error);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace spmv::test
