#include "app/launch/end_signals.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/uninterrupted.hpp"

namespace spmv {
namespace {

struct EndSignal {
  int number;
  const char* name;
};
constexpr std::array<EndSignal, 2> end_signals = {{{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}}};

/// The pipe from the signal handler to the waiting thread: a handler may do no more than write to it. A handler gets only
/// the signal's number, so there is one pipe, which lives as long as the process.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe for signals");
  }
  static const Pipe& instance() {
    static const Pipe pipe;
    return pipe;
  }
  bool send(unsigned char number) const noexcept {
    return uninterrupted([&] { return ::write(ends_[1], &number, 1); }) == 1;
  }
  unsigned char receive() const {
    unsigned char number = 0;
    uninterrupted([&] { return ::read(ends_[0], &number, 1); });
    return number;
  }

 private:
  std::array<int, 2> ends_{};
};

extern "C" void pass_on(int number) {
  const int before = errno;
  Pipe::instance().send(static_cast<unsigned char>(number));
  errno = before;
}

/// Replaces the action `from` of a signal by `to`. Any other action stays.
void exchange_action(int number, void (*from)(int), void (*to)(int), int flags) {
  struct sigaction action = {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != from) return;
  action = {};
  action.sa_handler = to;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

constexpr unsigned char no_signal = 0;

}  // namespace

const char* end_signal_name(int number) {
  for (const EndSignal& signal : end_signals)
    if (signal.number == number) return signal.name;
  return "";
}

EndSignals::EndSignals(std::function<void(int, const std::string&)> ends) : ends_(std::move(ends)) {
  Pipe::instance();  // before any handler needs it
  thread_ = std::thread([this] { wait(); });
  for (const EndSignal& signal : end_signals) exchange_action(signal.number, SIG_DFL, pass_on, SA_RESTART);
}

EndSignals::~EndSignals() {
  for (const EndSignal& signal : end_signals) exchange_action(signal.number, pass_on, SIG_DFL, 0);
  if (Pipe::instance().send(no_signal))
    thread_.join();
  else
    thread_.detach();  // it goes on waiting, until the process ends
}

void EndSignals::wait() const {
  while (const unsigned char number = Pipe::instance().receive())
    for (const EndSignal& signal : end_signals)
      if (signal.number == number) ends_(number, signal.name);
}

}  // namespace spmv
