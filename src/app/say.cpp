#include "app/say.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string_view>
#include <thread>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// Clears the line of a terminal's cursor.
constexpr const char* clear_line = "\r\x1b[K";

/// Whether another process, such as the user's shell, has the terminal.
bool in_background() {
  const pid_t in_front = tcgetpgrp(STDERR_FILENO);
  return in_front != -1 && in_front != getpgrp();
}

}  // namespace

void say(const std::string& line) {
  // In one piece: another thread may be rewriting the line.
  std::fputs(
      ((says_on_terminal() && !in_background() ? clear_line : "") + printable_lines(line) + "\n").c_str(),
      stderr);
}

void let_libraries_say() {
  stdout = stderr;
  std::cout.rdbuf(std::cerr.rdbuf());
}

void show_table(const std::string& text, bool taken) {
  if (!taken) return write_stdout(text);
  say(text.substr(0, text.find_last_not_of('\n') + 1));
}

bool says_on_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

int terminal_columns() {
  constexpr int usual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

bool rewrite_line(const std::string& text) {
  if (in_background()) return false;
  pollfd terminal{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&terminal, 1, 0) != 1 || (terminal.revents & POLLOUT) == 0) return false;
  std::fputs((clear_line + text).c_str(), stderr);
  return true;
}

void last_words(const std::function<void()>& speak, double at_most_s) {
  std::packaged_task<void()> task(speak);
  const std::future<void> spoken = task.get_future();
  std::thread(std::move(task)).detach();
  spoken.wait_for(std::chrono::duration<double>(at_most_s));
}

}  // namespace spmv
