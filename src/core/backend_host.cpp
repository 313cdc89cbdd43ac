// The host backend: every call is done when it returns.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/machine_memory.hpp"
#include "core/parallel_copy.hpp"
#include "core/shared_pages.hpp"
#include "core/this_machine.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t least_alignment = 256;

class HostEvent final : public Event {
 public:
  void synchronize() override {}
  double seconds_since(const Event& earlier) const override {
    const auto& other = dynamic_cast<const HostEvent&>(earlier);
    return std::chrono::duration<double>(time_ - other.time_).count();
  }
  void reach() { time_ = Clock::now(); }

 private:
  Clock::time_point time_{};
};

class HostQueue final : public Queue {
 public:
  void record(Event& event) override { dynamic_cast<HostEvent&>(event).reach(); }
  void wait(const Event&) override {}
  void synchronize() override {}
  bool works_at_once() const override { return true; }
  void copy(void* to, const void* from, std::size_t bytes, Copy) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  std::unique_ptr<Capture> capture_work(std::function<void()> work) override {
    return std::make_unique<WorkToRepeat>(std::move(work));
  }
  void replay(const Capture& capture) override { dynamic_cast<const WorkToRepeat&>(capture).queue_again(); }
  void fill(void* at, unsigned char byte, std::size_t bytes) override { parallel_fill(at, byte, bytes); }
  void run(std::function<void()> work) override { work(); }
};

class HostBackend final : public Backend {
 public:
  explicit HostBackend(int ranks) : ranks_(ranks) {}
  std::unique_ptr<Queue> make_queue(Priority) override { return std::make_unique<HostQueue>(); }
  bool shares_memory_with_host() const override { return true; }
  std::unique_ptr<Event> make_event() override { return std::make_unique<HostEvent>(); }
  /// What is large begins where a large page does. That takes 2 MB more addresses, and no more memory.
  void* allocate(std::size_t bytes, Memory) override {
    const std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : least_alignment;
    const std::size_t rounded = (bytes / least_alignment + 1) * least_alignment;
    void* at = nullptr;
    if (posix_memalign(&at, alignment, rounded) != 0)
      throw Error(ExitCode::memory,
                  fmt::format("the host has no {} more bytes: use more nodes or a smaller matrix", bytes));
    prefer_huge_pages(at, rounded);
    return at;
  }
  void release(void* at, Memory) noexcept override { std::free(at); }
  void upload(void* to, const void* from, std::size_t bytes) override { parallel_copy(to, from, bytes); }
  std::unique_ptr<LentMemory> allocate_shared(std::size_t bytes) override {
    return allocate_shared_pages(bytes);
  }
  std::unique_ptr<SharedMemory> map_shared(const std::string& handle) override {
    return map_shared_pages(handle);
  }
  MemoryInfo memory() const override { return process_memory(ranks_); }
  std::string describe() const override {
    return fmt::format("host, {} hardware threads", std::thread::hardware_concurrency());
  }
  std::string identity() const override { return describe() + ", " + processor_name(); }
  const char* name() const override { return "host"; }

 private:
  int ranks_;
};

}  // namespace

std::shared_ptr<Backend> make_host_backend(const DeviceRequest& request) {
  return std::make_shared<HostBackend>(request.ranks_on_node);
}

}  // namespace spmv
