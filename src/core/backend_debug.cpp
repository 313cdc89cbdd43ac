// A device for machines without one. It keeps the two promises that real devices break programs with:
// queued work happens later, in another thread, in no order but the one that events impose; and device memory
// is out of the host's reach: its pages are unreadable while no queue is working, so a stray access faults.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/kept_copies.hpp"
#include "core/machine_memory.hpp"
#include "core/shared_pages.hpp"
#include "core/upload_ring.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

/// Device memory. Open to everyone while at least one queue works, closed otherwise.
class GuardedMemory {
 public:
  ~GuardedMemory() {
    for (const auto& [at, bytes] : blocks_) munmap(at, bytes);
  }
  void* allocate(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t rounded = (bytes / page + 1) * page;
    const std::lock_guard lock(mutex_);
    void* at = mmap(nullptr, rounded, protection(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
      throw Error(ExitCode::memory, fmt::format("the debug device has no {} more bytes", bytes));
    blocks_[at] = rounded;
    return at;
  }
  void release(void* at) noexcept {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(at);
    munmap(at, block->second);
    blocks_.erase(block);
  }
  bool holds(const void* at) {
    const std::lock_guard lock(mutex_);
    const auto after = blocks_.upper_bound(const_cast<void*>(at));
    if (after == blocks_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return static_cast<const char*>(at) < static_cast<const char*>(begin) + bytes;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    if (working_++ == 0) protect();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) protect();
  }

 private:
  int protection() const { return working_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE; }
  /// Blocks that lie side by side change together: most do, and this is done for every piece of work.
  void protect() {
    char* begin = nullptr;
    char* end = nullptr;
    const auto change = [&] {
      if (begin != end && mprotect(begin, static_cast<std::size_t>(end - begin), protection()) != 0)
        throw Error(ExitCode::environment, fmt::format("the debug device cannot open or close its memory: {}",
                                                       std::strerror(errno)));
    };
    for (const auto& [at, bytes] : blocks_) {
      auto* const block = static_cast<char*>(at);
      if (block != end) {
        change();
        begin = block;
      }
      end = block + bytes;
    }
    change();
  }

  std::mutex mutex_;
  std::map<void*, std::size_t> blocks_;
  int working_ = 0;
};

/// Memory that is open as long as this is there; nullptr: none.
class Opened {
 public:
  explicit Opened(GuardedMemory* memory) : memory_(memory) {
    if (memory_ != nullptr) memory_->open();
  }
  ~Opened() {
    if (memory_ != nullptr) memory_->close();
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  GuardedMemory* memory_;
};

/// Shared by the event object and by queued work that refers to it.
struct EventState {
  std::mutex mutex;
  std::condition_variable reached_changed;
  std::uint64_t recorded = 0;  // tickets given out by record()
  std::uint64_t reached = 0;   // latest ticket that its queue has come to
  Clock::time_point time{};

  void wait_for(std::uint64_t ticket) {
    std::unique_lock lock(mutex);
    reached_changed.wait(lock, [&] { return reached >= ticket; });
  }
  std::uint64_t latest() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
};

class DebugEvent final : public Event {
 public:
  void synchronize() override { state_->wait_for(state_->latest()); }
  double seconds_since(const Event& earlier) const override {
    const auto& other = dynamic_cast<const DebugEvent&>(earlier);
    return std::chrono::duration<double>(time() - other.time()).count();
  }
  const std::shared_ptr<EventState>& state() const { return state_; }

 private:
  Clock::time_point time() const {
    const std::lock_guard lock(state_->mutex);
    return state_->time;
  }
  std::shared_ptr<EventState> state_ = std::make_shared<EventState>();
};

class DebugQueue final : public Queue {
 public:
  DebugQueue(std::shared_ptr<GuardedMemory> memory, unsigned jitter_us, unsigned seed)
      : memory_(std::move(memory)), jitter_us_(jitter_us), random_(seed), worker_([this] { work(); }) {}

  ~DebugQueue() override {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void record(Event& event) override {
    const auto state = dynamic_cast<DebugEvent&>(event).state();
    std::uint64_t ticket = 0;
    {
      const std::lock_guard lock(state->mutex);
      ticket = ++state->recorded;
    }
    push({[state, ticket] {
            const std::lock_guard lock(state->mutex);
            state->reached = ticket;
            state->time = Clock::now();
            state->reached_changed.notify_all();
          },
          false});
  }

  void wait(const Event& event) override {
    const auto state = dynamic_cast<const DebugEvent&>(event).state();
    push({[state, ticket = state->latest()] { state->wait_for(ticket); }, false});
  }

  void synchronize() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void copy(void* to, const void* from, std::size_t bytes, Copy) override {
    if (bytes > 0) push({[=] { std::memcpy(to, from, bytes); }, true});
  }
  std::unique_ptr<Capture> capture_work(std::function<void()> work) override {
    return std::make_unique<WorkToRepeat>(std::move(work));
  }
  void replay(const Capture& capture) override { dynamic_cast<const WorkToRepeat&>(capture).queue_again(); }
  void fill(void* at, unsigned char byte, std::size_t bytes) override {
    if (bytes > 0) push({[=] { std::memset(at, byte, bytes); }, true});
  }
  void run(std::function<void()> work) override { push({std::move(work), true}); }

 private:
  struct Work {
    std::function<void()> run;
    bool touches_memory;
  };

  void push(Work work) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return leaving_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Work next = std::move(waiting_.front());
      waiting_.pop_front();
      busy_ = true;
      lock.unlock();
      const std::exception_ptr failure = perform(next);
      lock.lock();
      if (failure && !failure_) failure_ = failure;
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::exception_ptr perform(const Work& next) {
    if (jitter_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % (jitter_us_ + 1)));
    try {
      const Opened opened(next.touches_memory ? memory_.get() : nullptr);
      next.run();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  std::shared_ptr<GuardedMemory> memory_;
  unsigned jitter_us_;
  std::minstd_rand random_;  // used by the worker only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool busy_ = false;
  bool leaving_ = false;
  std::exception_ptr failure_;
  std::thread worker_;  // last: starts when everything above is there
};

class DebugBackend final : public Backend {
 public:
  DebugBackend(unsigned jitter_us, int ranks) : jitter_us_(jitter_us), ranks_(ranks) {}

  std::unique_ptr<Queue> make_queue(Priority) override {
    return std::make_unique<DebugQueue>(memory_, jitter_us_, ++queues_made_);
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<DebugEvent>(); }
  void* allocate(std::size_t bytes, Memory memory) override {
    return memory == Memory::device ? memory_->allocate(bytes) : staging_->allocate(bytes, memory);
  }
  void release(void* at, Memory memory) noexcept override {
    memory == Memory::device ? memory_->release(at) : staging_->release(at, memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    if (!kept_copies_.copy(to, from, bytes)) uploads_.copy(to, from, bytes);
  }
  std::unique_ptr<KeptCopy> keep_copy(const void* from, std::size_t bytes) override {
    return kept_copies_.keep(from, bytes);
  }
  const void* kept_copy(const void* from, std::size_t bytes) const override {
    return kept_copies_.find(from, bytes);
  }
  // Out of reach of the guard: other ranks store into it while this one's queues rest.
  std::unique_ptr<LentMemory> allocate_shared(std::size_t bytes) override {
    return allocate_shared_pages(bytes);
  }
  std::unique_ptr<SharedMemory> map_shared(const std::string& handle) override {
    return map_shared_pages(handle);
  }
  MemoryInfo memory() const override { return process_memory(ranks_); }
  bool reaches(const void* at) const override { return memory_->holds(at); }
  std::string describe() const override {
    return "debug device (asynchronous stand-in on the host, for tests, not for speed)";
  }
  const char* name() const override { return "debug"; }

 private:
  unsigned jitter_us_;
  int ranks_;
  std::atomic<unsigned> queues_made_{0};  // by any thread
  std::shared_ptr<GuardedMemory> memory_ = std::make_shared<GuardedMemory>();
  std::shared_ptr<Backend> staging_ = make_host_backend({});
  UploadRing uploads_{*this, 4096};  // small enough for tests to need several pieces
  KeptCopies kept_copies_{*this};
};

}  // namespace

std::shared_ptr<Backend> make_debug_backend(const DeviceRequest& request) {
  return std::make_shared<DebugBackend>(request.jitter_us, request.ranks_on_node);
}

}  // namespace spmv
