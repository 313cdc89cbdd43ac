// A sched_yield that sleeps, preloaded into tests on ranks. MPI polls and calls sched_yield in between. With
// more ranks than cores, waiting ranks would take most of the CPU time; beside other processes a yield gives
// away a whole time slice, and a barrier takes milliseconds instead of microseconds. A sleeping rank gets a
// core as soon as it wakes up. Naps grow with the wait, so long waits cost little.
#include <algorithm>
#include <chrono>

#include <sys/prctl.h>
#include <time.h>

namespace {
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A thread that does not yield again within this time has stopped waiting: one poll is shorter.
constexpr Clock::duration between_polls = 10us;
constexpr Clock::duration shortest_nap = 15us;
constexpr Clock::duration longest_nap = 300us;
/// A nap lasts at most 1/part_of_wait of the wait so far.
constexpr int part_of_wait = 2;
}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local Clock::time_point wait_began, last_nap_ended;
  thread_local bool wakes_in_time = false;
  if (!wakes_in_time) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds; without it a nap is three times as long
    wakes_in_time = true;
  }
  const Clock::time_point now = Clock::now();
  if (now - last_nap_ended > between_polls) wait_began = now;
  const Clock::duration nap = std::clamp((now - wait_began) / part_of_wait, shortest_nap, longest_nap);
  const timespec time{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(nap).count()};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  last_nap_ended = Clock::now();
  return 0;
}
