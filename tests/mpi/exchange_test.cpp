// Every transport with plans made by hand, on every backend: what arrives, and that nothing old does.
#include <cstring>

#include <gtest/gtest.h>

#include "comm/halo_exchange.hpp"
#include "core/buffer.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// How many elements `source` sends `target`.
using Counts = lidx (*)(int source, int target, int ranks);

struct PlanCase {
  const char* name;
  Counts counts;
};

const std::vector<PlanCase> plan_cases = {
    {"nothing", [](int, int, int) { return 0; }},
    {"to the right only", [](int s, int t, int n) { return t == (s + 1) % n ? 3 : 0; }},
    {"down the line, ends open", [](int s, int t, int) { return t == s + 1 ? 1 : 0; }},
    {"everyone to everyone, all different", [](int s, int t, int) { return 1 + (5 * s + 3 * t) % 7; }},
    {"rank 0 to all", [](int s, int, int) { return s == 0 ? 2 : 0; }},
    {"all to rank 0", [](int, int t, int) { return t == 0 ? 40'000 : 0; }},
};

HaloPlan make_plan(const PlanCase& plan_case, int me, int ranks) {
  HaloPlan plan;
  lidx send = 0;
  for (int r = 0; r < ranks; ++r) {
    const lidx out = r == me ? 0 : plan_case.counts(me, r, ranks);
    const lidx in = r == me ? 0 : plan_case.counts(r, me, ranks);
    if (out > 0 || in > 0) plan.neighbours.push_back({r, send, out, plan.ghosts, in});
    send += out;
    plan.ghosts += in;
  }
  plan.send_index.assign(static_cast<std::size_t>(send), 0);
  return plan;
}

/// A value that names its way: who sent it to whom, the how manieth, in which round.
double label(int source, int target, lidx k, int round) {
  return source + 16 * target + 256.0 * round + 65536.0 * k;
}

class Exchange : public BackendsTest {
 protected:
  void SetUp() override {
    BackendsTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) c_.emplace(world());
  }

  /// Several rounds, with different data, of elements of `doubles` numbers each.
  void check(const Transport& transport, const TestBackend& test_backend, const PlanCase& plan_case,
             lidx doubles) {
    const int me = c_->rank(), ranks = c_->size();
    const auto backend = test_backend.make(*c_);
    const auto plan = std::make_shared<const HaloPlan>(make_plan(plan_case, me, ranks));
    const auto exchange =
        transport.make({*c_, c_->node(), plan, backend, sizeof(double) * static_cast<std::size_t>(doubles)});
    const auto width = static_cast<std::size_t>(doubles);
    const std::size_t sent = width * static_cast<std::size_t>(plan->send_total());
    const std::size_t received = width * static_cast<std::size_t>(plan->ghosts);
    Buffer<double> packed(backend, sent, Memory::device), halo(backend, received, Memory::device);
    Buffer<double> source(backend, sent, Memory::staging);
    const auto compute = backend->make_queue(Priority::normal);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    for (int round = 0; round < 4; ++round) {
      std::vector<double> expected;
      std::size_t at = 0;
      for (const Neighbour& n : plan->neighbours) {
        for (lidx k = 0; k < n.send_count * doubles; ++k) source.data()[at++] = label(me, n.rank, k, round);
        for (lidx k = 0; k < n.receive_count * doubles; ++k) expected.push_back(label(n.rank, me, k, round));
      }
      compute->fill(halo.data(), 0xff, halo.bytes());
      if (round !=
          2) {  // once without, so that data of the round before is there to be mistaken for this one's
        compute->fill(packed.data(), 0xff, packed.bytes());
        compute->synchronize();
        exchange->poison();
      }
      compute->copy(packed.data(), source.data(), packed.bytes(), Copy::to_device);
      compute->record(*ready);
      exchange->start(reinterpret_cast<const std::byte*>(packed.data()), *ready, nullptr);
      exchange->finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, nullptr);
      // What waits for `arrived` sees the whole halo.
      Buffer<double> seen(backend, received, Memory::staging);
      compute->wait(*arrived);
      compute->copy(seen.data(), halo.data(), halo.bytes(), Copy::to_host);
      compute->synchronize();
      EXPECT_EQ(std::vector<double>(seen.data(), seen.data() + received), expected) << "round " << round;
    }
  }

  std::optional<Communicator> c_;
};

TEST_F(Exchange, EveryTransportBringsEveryElementToItsPlace) {
  for (const Transport& transport : transports())
    for (const TestBackend& backend : product_backends())
      for (const PlanCase& plan_case : plan_cases)
        for (const lidx doubles : {1, 2}) {
          SCOPED_TRACE(std::string(transport.name) + ", " + backend.name + ", " + plan_case.name + ", " +
                       std::to_string(8 * doubles) + " bytes");
          check(transport, backend, plan_case, doubles);
        }
}

// Requests of two exchanges on one communicator do not mix, in whatever order they are finished.
TEST_F(Exchange, TwoExchangesOneAfterTheOther) {
  for (const Transport& transport : transports()) {
    const auto backend = product_backends()[0].make(*c_);
    const auto plan = std::make_shared<const HaloPlan>(make_plan(plan_cases[1], c_->rank(), c_->size()));
    const auto first = transport.make({*c_, c_->node(), plan, backend, sizeof(double)});
    const auto second = transport.make({*c_, c_->node(), plan, backend, sizeof(double)});
    const auto queue = backend->make_queue(Priority::normal);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    const auto send = static_cast<std::size_t>(plan->send_total());
    std::vector<double> halo(static_cast<std::size_t>(plan->ghosts));
    for (const double value : {1.0, 2.0, 3.0})
      for (HaloExchange* exchange : {first.get(), second.get()}) {
        const double mine = value + (exchange == first.get() ? 0.25 : 0.5);
        const std::vector<double> numbers(send, mine);
        Buffer<double> packed = upload(backend, numbers.data(), send);
        Buffer<double> device_halo(backend, halo.size(), Memory::device);
        queue->record(*ready);
        exchange->start(reinterpret_cast<const std::byte*>(packed.data()), *ready, nullptr);
        exchange->finish(reinterpret_cast<std::byte*>(device_halo.data()), *arrived, nullptr);
        arrived->synchronize();
        download(*backend, halo.data(), device_halo.data(), halo.size());
        EXPECT_EQ(halo, std::vector<double>(halo.size(), mine)) << transport.name;
      }
  }
}

TEST_F(Exchange, PhasesAreLoggedOnce) {
  for (const Transport& transport : transports()) {
    const auto backend = product_backends().back().make(*c_);
    const auto plan = std::make_shared<const HaloPlan>(make_plan(plan_cases[3], c_->rank(), c_->size()));
    const auto exchange = transport.make({*c_, c_->node(), plan, backend, sizeof(double)});
    Buffer<double> packed(backend, plan->send_index.size(), Memory::device);
    Buffer<double> halo(backend, static_cast<std::size_t>(plan->ghosts), Memory::device);
    const auto queue = backend->make_queue(Priority::normal);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    PhaseLog log(backend);
    queue->fill(packed.data(), 0, packed.bytes());
    log.begin_product(*queue);
    queue->record(*ready);
    exchange->start(reinterpret_cast<const std::byte*>(packed.data()), *ready, &log);
    exchange->finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, &log);
    arrived->synchronize();
    queue->synchronize();
    const auto intervals = log.intervals();
    EXPECT_TRUE(!intervals.empty() || plan->neighbours.empty());
    for (const Interval& i : intervals) {
      EXPECT_GE(i.begin, 0) << phase_name(i.phase);
      EXPECT_LE(i.begin, i.end) << phase_name(i.phase);
    }
  }
}

}  // namespace
}  // namespace spmv::test
