#include "app/run/core_waiting.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace spmv::test {
namespace {

// Three threads compute all the time on one core: each waits for two thirds of it.
TEST(CoreWaiting, ThreadsThatShareACoreWait) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  CPU_SET(core, &one);

  const CoreWaiting waiting;
  std::atomic<bool> ended{false};
  std::array<std::atomic<int>, 3> ids{};
  double share = 0, share_of_others = 1;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        ids[i] = gettid();
        sched_setaffinity(0, sizeof one, &one);
        while (!ended) {
        }
      });
    for (const std::atomic<int>& id : ids)
      while (id == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    share = waiting.share();
    const CoreWaiting waiting_of_others({ids[0], ids[1], ids[2], gettid()});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    share_of_others = waiting_of_others.share();
    ended = true;
  }
  if (share == 0) GTEST_SKIP() << "this kernel does not report how long threads wait";
  EXPECT_GT(share, 0.3);
  EXPECT_LE(share, 1);
  EXPECT_LT(share_of_others, 0.1) << "waiting threads must not count";
}

}  // namespace
}  // namespace spmv::test
