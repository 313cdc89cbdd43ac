#include "comm/choose/abandon.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/mpi_check.hpp"

namespace spmv {
namespace {

constexpr std::chrono::seconds mpi_may_take_to_end{10};

/// A thread that gets this never runs on. Says so in the flag that came with the signal.
extern "C" void stop_for_good(int, siginfo_t* info, void*) {
  static_cast<std::atomic<bool>*>(info->si_value.sival_ptr)->store(true);
  while (true) pause();
}

void stop(std::thread& thread) {
  const int signal_number = SIGRTMIN + 3;
  struct sigaction action {};
  action.sa_sigaction = stop_for_good;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal_number, &action, nullptr);
  std::atomic<bool> stopped{false};
  sigval value{};
  value.sival_ptr = &stopped;
  if (pthread_sigqueue(thread.native_handle(), signal_number, value) != 0) return;  // it has ended meanwhile
  while (!stopped) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// Keeps the work until the process ends; ends the process if MPI, where it is ours to end, does not end.
void keep(std::shared_ptr<LimitedWork> abandoned) {
  std::thread([abandoned = std::move(abandoned), ours = MpiSession::lives()] {
    std::this_thread::sleep_for(mpi_may_take_to_end);
    while (!ours || !MpiSession::lives()) pause();  // the process goes on, and what the work has made with it
    std::fputs("spmv_dist: MPI does not end, because an exchange that was abandoned still waits in it\n",
               stderr);
    std::_Exit(static_cast<int>(ExitCode::timeout));
  }).detach();
}

}  // namespace

void abandon(std::shared_ptr<LimitedWork> work) {
  // MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF: the last moment at which MPI is whole.
  using Holder = std::shared_ptr<LimitedWork>;
  work->mark_abandoned();
  int key = MPI_KEYVAL_INVALID;
  const auto at_the_end = [](MPI_Comm, int, void* attribute, void*) {
    const std::unique_ptr<Holder> holder(static_cast<Holder*>(attribute));
    keep(*holder);
    constexpr double seconds = 0.5;  // for a thread that was not given a core yet
    LimitedWork& work = **holder;
    if (work.ends_within(0))
      work.thread_.join();
    else if (!work.stops_within(seconds))
      stop(work.thread_);
    return MPI_SUCCESS;
  };
  mpi_check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, nullptr), "make an attribute");
  auto holder = std::make_unique<Holder>(std::move(work));
  mpi_check(MPI_Comm_set_attr(MPI_COMM_SELF, key, holder.get()), "set an attribute");
  static_cast<void>(holder.release());
}

}  // namespace spmv
