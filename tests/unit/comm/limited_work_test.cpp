// Work that is abandoned stops, also where it waits without polling.
#include "comm/limited_work.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "comm/patience.hpp"
#include "comm/transports/peer/peer_exchange.hpp"

namespace spmv::test {
namespace {

/// Far more than stopping takes on the busiest machine: only what never stops waits so long.
constexpr double long_enough_s = 60;

/// Runs work(begun) in a thread, and abandons it after it has called begun().
template <class Work>
bool comes_to_rest(Work work) {
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  auto* const limited = new LimitedWork([=] {  // never released, because its thread continues
    work([&] { *begun = true; });
    Patience patience;
    while (true) patience.pause();
  });
  while (!*begun) std::this_thread::yield();
  limited->mark_abandoned();
  return limited->stops_within(long_enough_s);
}

TEST(LimitedWork, WhereItPolls) {
  EXPECT_TRUE(comes_to_rest([](const auto& begun) { begun(); }));
}

TEST(LimitedWork, WhatDoesNotPollIsEnded) {
  const auto let_go = std::make_shared<std::atomic<bool>>(false);
  EXPECT_TRUE(comes_to_rest([=](const auto& begun) {
    const OnAbandon end([=] { *let_go = true; });
    begun();
    while (!*let_go) std::this_thread::yield();
  }));
  EXPECT_TRUE(*let_go);
}

TEST(LimitedWork, WhatHasEndedIsNotCalled) {
  int calls = 0;
  LimitedWork work([&] { const OnAbandon gone([&] { ++calls; }); });
  ASSERT_TRUE(work.ends_within(long_enough_s));
  work.mark_abandoned();
  EXPECT_EQ(calls, 0);
  // In a thread whose work cannot be abandoned there is nobody to call.
  const OnAbandon nobody([&] { ++calls; });
  EXPECT_EQ(calls, 0);
}

/// Waits for a neighbour that never raises its flag.
template <class Begun>
void exchange_with_nobody(const std::shared_ptr<Backend>& backend, Memory where, const Begun& begun) {
  auto plan = std::make_shared<HaloPlan>();
  plan->neighbours = {{1, 0, 10, 0, 10}};
  plan->ghosts = plan->owned = 10;
  plan->send_index.assign(10, 0);
  const std::size_t bytes = mailbox_parts(1, 10 * sizeof(double)).bytes;
  const auto own = backend->allocate_shared(bytes), neighbours = backend->allocate_shared(bytes);
  PeerExchange exchange(plan, backend, sizeof(double), own->data(), where, {1});
  exchange.connect({{neighbours->data(), exchange.landing(0)}});
  const Buffer<double> send_buffer(backend, 10, Memory::device);
  Buffer<double> halo(backend, 10, Memory::device);
  const auto ready = backend->make_event(), arrived = backend->make_event();
  begun();  // it does not poll from here on
  exchange.start(reinterpret_cast<const std::byte*>(send_buffer.data()), *ready, nullptr);
  exchange.finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, nullptr);
  arrived->synchronize();
}

TEST(LimitedWork, AnExchangeWhoseNeighbourNeverComes) {
  for (const Memory where : {Memory::device, Memory::staging})
    for (const auto& backend : {make_host_backend({}), make_debug_backend({})})
      EXPECT_TRUE(comes_to_rest([=](const auto& begun) { exchange_with_nobody(backend, where, begun); }))
          << backend->name() << (where == Memory::device ? ", device" : ", staging");
}

}  // namespace
}  // namespace spmv::test
