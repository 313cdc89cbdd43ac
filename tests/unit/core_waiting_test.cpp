#include "app/run/core_waiting.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

namespace spmv::test {
namespace {

// Three threads that compute all the time on one core: each waits for two thirds of it.
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
  double share = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        sched_setaffinity(0, sizeof one, &one);
        while (!ended) {
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    share = waiting.share();
    ended = true;
  }
  if (share == 0) GTEST_SKIP() << "this kernel does not tell how long threads wait";
  EXPECT_GT(share, 0.3);
  EXPECT_LE(share, 1);
}

}  // namespace
}  // namespace spmv::test
