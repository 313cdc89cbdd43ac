#include "core/muted_stdout.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>

#include <sys/types.h>

#include "core/error.hpp"

namespace spmv {
namespace {

int& depth_of_this_thread() {
  thread_local int depth = 0;
  return depth;
}

/// Stands in for stdout while anybody is muted. It stays for good: a thread may have kept the stream.
class Filter {
 public:
  static Filter& instance() {
    static Filter& filter = *new Filter;
    return filter;
  }
  void begin() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (stream_ == nullptr) stream_ = open();
    if (users_++ > 0) return;
    behind_.store(stdout);
    stdout = stream_;
  }
  void end() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (--users_ == 0 && stdout == stream_) stdout = behind_.load();
  }

 private:
  /// Without a buffer, so that it is the printing thread that hands on.
  std::FILE* open() {
    std::FILE* const stream =
        fopencookie(this, "w", {.read = nullptr, .write = hand_on, .seek = nullptr, .close = nullptr});
    if (stream == nullptr || std::setvbuf(stream, nullptr, _IONBF, 0) != 0)
      throw Error(ExitCode::memory, "there is no memory for a stream");
    return stream;
  }
  static ssize_t hand_on(void* self, const char* text, std::size_t bytes) {
    if (depth_of_this_thread() > 0) return static_cast<ssize_t>(bytes);
    return static_cast<ssize_t>(std::fwrite(text, 1, bytes, static_cast<Filter*>(self)->behind_.load()));
  }

  std::mutex lock_;
  int users_ = 0;
  std::FILE* stream_ = nullptr;
  std::atomic<std::FILE*> behind_ = nullptr;
};

}  // namespace

MutedStdout::MutedStdout() {
  Filter::instance().begin();
  ++depth_of_this_thread();
}

MutedStdout::~MutedStdout() {
  --depth_of_this_thread();
  Filter::instance().end();
}

}  // namespace spmv
