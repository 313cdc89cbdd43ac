#include "app/scale/child_run.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/uninterrupted.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

/// A file descriptor, closed at its end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

[[noreturn]] void cannot(const std::string& what, int error) {
  throw Error(ExitCode::environment, fmt::format("{}: {}", what, std::strerror(error)));
}

/// The child between fork and exec: only what is allowed there. Tells errno through `report` where it fails.
[[noreturn]] void become(char* const* words, int log, int input, int report, pid_t parent) {
  setpgid(0, 0);  // a group of its own: what it starts is ended with it, and Ctrl-C is passed on once
  for (const int asked : {SIGTERM, SIGINT})
    signal(asked, SIG_DFL);          // nobody here hears what the parent's handlers note
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // also where this process is killed
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (dup2(input, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
    execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(report, &error, sizeof(error));
  _exit(127);
}

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildEnd ChildRuns::run(const std::vector<std::string>& words, const std::string& log, double limit_s) {
  constexpr auto grace = std::chrono::seconds(10);
  unlink(log.c_str());  // one that is left belongs to a run that may still be ending
  const Descriptor output(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (output.get() < 0) cannot(printable(log) + " cannot be written", errno);
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot("cannot make a pipe", errno);
  const Descriptor hears(ends[0]);
  Descriptor tells(ends[1]);
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) cannot(printable(words[0]) + " cannot be started", errno);
  if (child == 0) become(pointers.data(), output.get(), input.get(), tells.get(), self);
  setpgid(child, child);  // here, too: it may be sent a signal before it has come so far
  tells.reset();
  int error = 0;
  const bool failed = uninterrupted([&] { return read(hears.get(), &error, sizeof(error)); }) ==
                      static_cast<ssize_t>(sizeof(error));

  ChildEnd end;
  const auto begin = Clock::now();
  auto kill_at = Clock::time_point::max();
  int passed_on = 0, status = 0;
  for (;;) {
    const pid_t ended = uninterrupted([&] { return waitpid(child, &status, WNOHANG); });
    if (ended == child) break;
    if (ended < 0) cannot("cannot wait for " + printable(words[0]), errno);
    if (const int asked = ended_by_; asked != 0 && passed_on == 0) {
      passed_on = asked;
      kill(-child, asked);
      kill_at = Clock::now() + grace;
    }
    if (limit_s > 0 && !end.over_time && Clock::now() - begin > std::chrono::duration<double>(limit_s)) {
      end.over_time = true;
      kill(-child, SIGTERM);
      kill_at = std::min(kill_at, Clock::now() + grace);
    }
    if (Clock::now() > kill_at) {
      kill(-child, SIGKILL);
      kill_at = Clock::time_point::max();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (failed) cannot(printable(words[0]) + " cannot be started", error);
  end.code = code_of(status);
  return end;
}

void ChildRuns::end_with(int signal) {
  ended_by_ = signal;
}

}  // namespace spmv
