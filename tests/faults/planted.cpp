// Plants one fault into a process. Preloaded into the program or a test, it makes one call fail, be
// interrupted or do half of its work, or raises a signal at that call.
//
//   SPMV_PLANT="RANK CALL NUMBER ACTION"   on this rank, at this call of that name, counted from 1; "NUMBER+": at that
//                                          call and every later one
//   SPMV_SITES=FILE                        at its end, every rank writes its call sites to FILE.RANK: call, number of the
//                                          first call and count per line. A site is a call with its calling functions.
//
// ACTION is `fail` (as this call fails in practice), the name of an errno or CUDA error, `short` (half of the
// bytes are read or written), the name of a signal, or `until:FILE`: the call creates FILE.reached and waits
// for FILE. Only the program's own calls count, not MPI's.
#include "planted.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

namespace {

using planted::Action;
using planted::Call;

struct Name {
  const char* text;
  int number;
};
constexpr std::array<Name, 14> errors = {{{"ENOSPC", ENOSPC},
                                          {"EOPNOTSUPP", EOPNOTSUPP},
                                          {"EIO", EIO},
                                          {"EINTR", EINTR},
                                          {"ENOMEM", ENOMEM},
                                          {"EACCES", EACCES},
                                          {"EMFILE", EMFILE},
                                          {"EAGAIN", EAGAIN},
                                          {"EDQUOT", EDQUOT},
                                          {"EROFS", EROFS},
                                          {"EINVAL", EINVAL},
                                          {"cudaErrorECCUncorrectable", 214},
                                          {"cudaErrorLaunchFailure", 719},
                                          {"cudaErrorUnknown", 999}}};
constexpr std::array<Name, 5> signals = {{{"SIGKILL", SIGKILL},
                                          {"SIGSTOP", SIGSTOP},
                                          {"SIGTERM", SIGTERM},
                                          {"SIGINT", SIGINT},
                                          {"SIGABRT", SIGABRT}}};

constexpr const char* until = "until:";

struct Site {
  std::uint64_t hash;
  const char* call;
  long number;  // of the first call
  long count;
};

class Plant {
 public:
  static Plant& instance() {
    static Plant plant;
    return plant;
  }

  /// The program makes this call for the time number `made`.
  Action at(const char* call, long made) {
    if (sites_ != nullptr) record(call, made);
    if (call_ == nullptr || std::strcmp(call, call_) != 0 || (onward_ ? made < number_ : made != number_))
      return {};
    for (const Name& signal : signals)
      if (std::strcmp(action_, signal.text) == 0) {
        ::kill(::getpid(), signal.number);
        return {};
      }
    if (std::strncmp(action_, until, std::strlen(until)) == 0) {
      wait_for(action_ + std::strlen(until));
      return {};
    }
    if (std::strcmp(action_, "short") == 0) return {Action::brief};
    for (const Name& error : errors)
      if (std::strcmp(action_, error.text) == 0) return {Action::fail, error.number};
    return {Action::fail};
  }

  /// Whether the caller at this return address is the program, or the C++ library or zlib on its behalf.
  bool counts(void* returns_to) const {
    Dl_info where;
    if (dladdr(returns_to, &where) == 0 || where.dli_fname == nullptr) return false;
    const std::string_view file(where.dli_fname);
    return file.find("spmv") != std::string_view::npos || file.find("libstdc++") != std::string_view::npos ||
           file.find("libz.") != std::string_view::npos;
  }

  void write_sites() {
    if (sites_ == nullptr) return;
    char path[4096];
    std::snprintf(path, sizeof path, "%s.%d", sites_, rank_);
    if (FILE* file = std::fopen(path, "w")) {
      for (std::size_t i = 0; i < recorded_; ++i)
        std::fprintf(file, "%s %ld %ld\n", sites[i].call, sites[i].number, sites[i].count);
      std::fclose(file);
    }
  }

 private:
  Plant() {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr) rank = std::getenv("PMI_RANK");
    if (rank != nullptr) rank_ = std::atoi(rank);
    void* warm[2];
    backtrace(warm, 2);  // the first call allocates
    sites_ = std::getenv("SPMV_SITES");
    unsetenv("SPMV_SITES");  // child processes must not inherit either
    const char* const text = std::getenv("SPMV_PLANT");
    if (text == nullptr) return;
    int planted_rank = -1;
    char number[32];
    if (std::sscanf(text, "%d %63s %31s %1023s", &planted_rank, name_, number, action_) != 4) std::abort();
    number_ = std::atol(number);
    onward_ = std::strchr(number, '+') != nullptr;
    if (planted_rank == rank_) call_ = name_;
    unsetenv("SPMV_PLANT");
  }

  /// Waits until `path` exists or the process that waits for this one has removed its file `path`.reached.
  static void wait_for(const char* path) {
    char reached[4096];
    std::snprintf(reached, sizeof reached, "%s.reached", path);
    if (FILE* file = std::fopen(reached, "w")) std::fclose(file);
    while (::access(path, F_OK) != 0 && ::access(reached, F_OK) == 0) ::usleep(10'000);
  }

  void record(const char* call, long made) {
    std::array<void*, 14> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    std::uint64_t hash = std::hash<std::string_view>()(call);
    for (int i = 2; i < count; ++i)
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(frames[i])) * 0x9e3779b97f4a7c15ULL;
    const std::lock_guard lock(mutex_);
    Site* const end = sites.data() + recorded_;
    Site* const site = std::find_if(sites.data(), end, [&](const Site& each) { return each.hash == hash; });
    if (site != end)
      ++site->count;
    else if (recorded_ < sites.size())
      sites[recorded_++] = {hash, call, made, 1};
  }

  int rank_ = 0;
  const char* sites_ = nullptr;
  const char* call_ = nullptr;  // where the fault is; nullptr: not on this rank
  char name_[64] = "";
  char action_[1024] = "";
  long number_ = 0;
  bool onward_ = false;
  std::mutex mutex_;
  std::array<Site, 16384> sites{};
  std::size_t recorded_ = 0;
};

std::atomic<bool> main_runs{false};  // calls before main() do not count: nobody could handle a fault there
thread_local bool inside = false;    // the plant's own calls do not count

__attribute__((constructor)) void begin() {
  Plant::instance();
}
__attribute__((destructor)) void end() {
  Plant::instance().write_sites();
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int main_that_counts(int argc, char** argv, char** environment) {
  main_runs = true;
  return real_main(argc, argv, environment);
}

}  // namespace

namespace planted {

Action at(Call& call, void* returns_to) {
  if (inside || !main_runs.load(std::memory_order_relaxed)) return {};
  inside = true;
  Action action;
  if (Plant::instance().counts(returns_to))
    action = Plant::instance().at(call.name, call.made.fetch_add(1) + 1);
  inside = false;
  return action;
}

}  // namespace planted

// Replaces the C library's start of a program, which calls main().
extern "C" int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_that_counts, argc, argv, init, fini, rtld_fini, stack_end);
}
