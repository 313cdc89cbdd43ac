// Preloaded into tests on ranks. MPI waits by polling and calls sched_yield in between, which on a machine with other work
// gives away whole time slices, so that a barrier takes milliseconds instead of microseconds. Whoever has lost such a slice
// sleeps for some microseconds instead, for a while: who wakes up is let in at once. Where nobody else works, little changes.
#include <chrono>
#include <thread>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Longer than ranks of one job mostly keep each other waiting, shorter than a slice.
constexpr auto lost_slice = 2500us;
constexpr auto patience = 50ms;
constexpr auto nap = 20us;
}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local Clock::time_point sleeps_until;
  const Clock::time_point before = Clock::now();
  if (before < sleeps_until) {
    std::this_thread::sleep_for(nap);
    return 0;
  }
  const long result = syscall(SYS_sched_yield);
  if (Clock::now() - before > lost_slice) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds; without it a nap is three times as long
    sleeps_until = before + patience;
  }
  return static_cast<int>(result);
}
