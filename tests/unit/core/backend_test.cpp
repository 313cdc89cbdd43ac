// The guarantees of src/core/backend.hpp, on every backend that needs no GPU.
#include "core/backend.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/huge_pages.hpp"
#include "core/machine_memory.hpp"

namespace spmv::test {
namespace {

class Backends : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Backend> backend_ =
      std::string(GetParam()) == "host" ? make_host_backend({}) : make_debug_backend({.jitter_us = 200});
};
INSTANTIATE_TEST_SUITE_P(Backend, Backends, testing::Values("host", "debug"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Backends, UploadAndDownload) {
  std::vector<int> numbers(10000), back(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 3);
  const Buffer<int> buffer = upload(backend_, numbers.data(), numbers.size());
  download(*backend_, back.data(), buffer.data(), back.size());
  EXPECT_EQ(back, numbers);
}

// Changing the array afterwards, which the contract forbids, shows that the upload came from the kept copy.
TEST(BackendDebug, UploadsOfAnArrayComeFromTheCopyThatIsKept) {
  const auto backend = make_debug_backend({.jitter_us = 200});
  std::vector<int> numbers(10000, 1);
  const std::size_t bytes = numbers.size() * sizeof(int);
  const auto uploaded = [&](std::size_t count) {
    const Buffer<int> buffer = upload(backend, numbers.data(), count);
    int last = 0;
    download(*backend, &last, buffer.data() + count - 1, 1);
    return last;
  };
  auto first = backend->keep_copy(numbers.data(), bytes);
  const auto second = backend->keep_copy(numbers.data(), bytes);
  numbers.back() = numbers[99] = 2;
  EXPECT_EQ(uploaded(numbers.size()), 1);
  EXPECT_EQ(uploaded(100), 2) << "another array with the same begin is not the kept one";
  EXPECT_NE(backend->kept_copy(numbers.data(), bytes), nullptr);
  first.reset();
  EXPECT_EQ(uploaded(numbers.size()), 1) << "another owner still keeps it";
}

TEST(BackendDebug, AnArrayIsCopiedAgainWhenNobodyKeepsIt) {
  const auto backend = make_debug_backend({});
  std::vector<int> numbers(10000, 1);
  const std::size_t bytes = numbers.size() * sizeof(int);
  backend->keep_copy(numbers.data(), bytes).reset();
  EXPECT_EQ(backend->kept_copy(numbers.data(), bytes), nullptr);
  numbers.front() = 2;
  const Buffer<int> buffer = upload(backend, numbers.data(), numbers.size());
  int number = 0;
  download(*backend, &number, buffer.data(), 1);
  EXPECT_EQ(number, 2);
}

TEST_P(Backends, NothingToCopy) {
  const Buffer<int> buffer = upload<int>(backend_, nullptr, 0);
  EXPECT_NE(buffer.data(), nullptr);
  download<int>(*backend_, nullptr, buffer.data(), 0);
  const auto queue = backend_->make_queue(Priority::normal);
  queue->copy(nullptr, nullptr, 0, Copy::on_device);
  queue->fill(nullptr, 0, 0);
  queue->synchronize();
}

TEST_P(Backends, MemoryIsAligned) {
  for (const Memory memory : {Memory::device, Memory::staging})
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{257}, (std::size_t{2} << 20) + 1}) {
      const Buffer<std::byte> buffer(backend_, bytes, memory);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0u);
    }
}

TEST(HostBackend, MuchBeginsWhereALargePageDoes) {
  const Buffer<std::byte> buffer(make_host_backend(DeviceRequest{}), huge_page_bytes + 1, Memory::device);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % huge_page_bytes, 0u);
}

TEST_P(Backends, BuffersMove) {
  const int numbers[] = {4, 5};
  Buffer<int> first = upload(backend_, numbers, 2);
  const int* at = first.data();
  Buffer<int> second = std::move(first);
  EXPECT_EQ(second.data(), at);
  EXPECT_EQ(first.data(), nullptr);
  second = upload(backend_, numbers, 1);
  EXPECT_EQ(second.size(), 1u);
}

TEST_P(Backends, StagingMemoryIsTheHostsToo) {
  Buffer<int> staging(backend_, 3, Memory::staging);
  std::fill_n(staging.data(), 3, 8);
  Buffer<int> device(backend_, 3, Memory::device);
  const auto queue = backend_->make_queue(Priority::urgent);
  queue->copy(device.data(), staging.data(), staging.bytes(), Copy::to_device);
  queue->fill(device.data() + 1, 0, sizeof(int));
  queue->copy(staging.data(), device.data(), staging.bytes(), Copy::to_host);
  queue->synchronize();
  EXPECT_EQ(std::vector<int>(staging.data(), staging.data() + 3), (std::vector<int>{8, 0, 8}));
}

TEST_P(Backends, MuchIsFilledToItsLastByteAndNoFurther) {
  constexpr std::size_t count = (std::size_t{3} << 20) + 5;
  const std::vector<unsigned char> ones(count + 2, 1);
  Buffer<unsigned char> buffer = upload(backend_, ones.data(), ones.size());
  const auto queue = backend_->make_queue(Priority::normal);
  queue->fill(buffer.data() + 1, 7, count);
  queue->synchronize();
  std::vector<unsigned char> back(count + 2);
  download(*backend_, back.data(), buffer.data(), back.size());
  EXPECT_EQ(back.front(), 1);
  EXPECT_EQ(back.back(), 1);
  EXPECT_EQ(std::count(back.begin(), back.end(), 7), static_cast<std::ptrdiff_t>(count));
}

TEST_P(Backends, RecordedWorkIsDoneWhenReplayedAndNotBefore) {
  const auto queue = backend_->make_queue(Priority::normal);
  int sum = 0;
  const auto capture = queue->capture_work([&] {
    queue->run([&sum] { sum = 2 * sum + 1; });
    queue->run([&sum] { sum += 10; });
  });
  queue->synchronize();
  EXPECT_EQ(sum, 0);
  queue->replay(*capture);
  queue->replay(*capture);
  queue->synchronize();
  EXPECT_EQ(sum, 33);
}

TEST_P(Backends, WorkOfOneQueueIsInOrder) {
  const auto queue = backend_->make_queue(Priority::normal);
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) queue->run([&order, i] { order.push_back(i); });
  queue->synchronize();
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_P(Backends, EventsOrderWorkOfTwoQueues) {
  const auto first = backend_->make_queue(Priority::normal);
  const auto second = backend_->make_queue(Priority::urgent);
  const auto there = backend_->make_event();
  const auto back = backend_->make_event();
  int number = 0;  // not atomic: only the events order the queues
  for (int i = 0; i < 20; ++i) {
    first->run([&] { ++number; });
    first->record(*there);
    second->wait(*there);
    second->run([&] { number *= 2; });
    second->record(*back);
    first->wait(*back);
  }
  first->synchronize();
  EXPECT_EQ(number, 2 * ((1 << 20) - 1));
}

TEST_P(Backends, AWaitRefersToTheRecordBeforeIt) {
  const auto first = backend_->make_queue(Priority::normal);
  const auto second = backend_->make_queue(Priority::normal);
  const auto event = backend_->make_event();
  first->record(*event);
  second->wait(*event);
  std::atomic<bool> released = false;
  if (backend_->name() == std::string("debug"))
    first->run([&] {
      while (!released) std::this_thread::yield();
    });
  first->record(*event);  // runs only after release
  second->synchronize();  // must not wait for it
  released = true;
  first->synchronize();
}

TEST_P(Backends, EventsNeverRecordedDoNotWait) {
  const auto event = backend_->make_event();
  event->synchronize();
  const auto queue = backend_->make_queue(Priority::normal);
  queue->wait(*event);
  queue->synchronize();
}

TEST_P(Backends, EventsMeasureTime) {
  const auto queue = backend_->make_queue(Priority::normal);
  const auto begin = backend_->make_event();
  const auto end = backend_->make_event();
  queue->record(*begin);
  queue->run([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  queue->record(*end);
  end->synchronize();
  EXPECT_GE(end->seconds_since(*begin), 0.005);
}

TEST_P(Backends, MemoryIsWhatTheMachineHas) {
  const MemoryInfo memory = backend_->memory();
  EXPECT_GT(memory.free_bytes, 0u);
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
  EXPECT_EQ(machine_memory().total_bytes, memory.total_bytes);
}

TEST_P(Backends, NoStreamWhereTheDeviceRunsHostCode) {
  EXPECT_EQ(backend_->make_queue(Priority::normal)->stream(), nullptr);
  EXPECT_EQ(backend_->name(), std::string(GetParam()));
  EXPECT_FALSE(backend_->describe().empty());
}

TEST(BackendDebug, QueuedWorkHappensLaterInAnotherThread) {
  const auto backend = make_debug_backend({});
  const auto queue = backend->make_queue(Priority::normal);
  std::atomic<bool> go = false;
  std::thread::id worker;
  queue->run([&] {
    while (!go) std::this_thread::yield();
    worker = std::this_thread::get_id();
  });
  go = true;  // not reached if run() waits
  queue->synchronize();
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(BackendDebug, AFailureSurfacesInSynchronizeOnce) {
  const auto backend = make_debug_backend({});
  const auto queue = backend->make_queue(Priority::normal);
  const auto event = backend->make_event();
  bool ran_after = false;
  queue->run([] { throw std::runtime_error("broken"); });
  queue->run([&] { ran_after = true; });
  queue->record(*event);
  EXPECT_THROW(queue->synchronize(), std::runtime_error);
  event->synchronize();  // waiting ends despite the failure
  queue->synchronize();
  EXPECT_TRUE(ran_after);
}

TEST(BackendDebug, QueuesFinishTheirWorkBeforeTheyLeave) {
  int done = 0;
  {
    const auto backend = make_debug_backend({.jitter_us = 100});
    const auto queue = backend->make_queue(Priority::normal);
    for (int i = 0; i < 10; ++i) queue->run([&] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

// The host reads memory of an idle device: code that forgot a copy must crash.
TEST(BackendDebugDeathTest, HostCodeCannotTouchDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto backend = make_debug_backend({});
  const int number = 1;
  Buffer<int> buffer = upload(backend, &number, 1);
  volatile int* at = buffer.data();
  EXPECT_DEATH(static_cast<void>(*at), "");
  EXPECT_DEATH(*at = 2, "");
}

TEST(BackendDebugDeathTest, BehindABufferOfWholePagesIsNoMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto backend = make_debug_backend({});
        Buffer<std::byte> buffer(backend, 1 << 20, Memory::device);
        volatile std::byte* at = buffer.data() + (1 << 20);
        static_cast<void>(*at);
      },
      "");
}

TEST(BackendTable, NamesAreUniqueAndReasonsComeWithTheUnusable) {
  for (const BackendEntry& entry : backends()) {
    const std::string reason = entry.why_unusable();
    if (reason.empty()) {
      EXPECT_EQ(entry.make({})->name(), std::string(entry.name));
    } else {
      EXPECT_THROW(entry.make({}), std::runtime_error);
      EXPECT_GT(reason.size(), 10u);
    }
  }
}

}  // namespace
}  // namespace spmv::test
