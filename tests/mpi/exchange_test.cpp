// Every transport with hand-made plans, on every backend: the right data arrive, and no data of an earlier
// exchange.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "comm/choose/choose_transport.hpp"
#include "core/buffer.hpp"
#include "core/pick.hpp"
#include "support/mpi_test.hpp"
#include "support/plan_of_counts.hpp"
#include "support/shared_folder.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

/// Number of elements that `source` sends to `target`.
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

/// Large enough that copies and messages are split, in one direction and unevenly; little in the other
/// direction.
const PlanCase large = {"much to the right, little to the left", [](int s, int t, int n) {
                          if (t == (s + 1) % n) return 300'001 + s;
                          return s == (t + 1) % n ? 9'000 : 0;
                        }};

/// A value that encodes its sender, receiver, index and round.
double label(int source, int target, lidx k, int round) {
  return source + 16 * target + 256.0 * round + 65536.0 * k;
}

/// Value of halo elements that the exchange must not write.
constexpr double untouched = -1;

class Exchange : public BackendsTest {
 protected:
  void SetUp() override {
    BackendsTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) c_.emplace(world());
  }

  ExchangeSetup setup(const HaloPlan& plan, const std::shared_ptr<Backend>& backend, lidx doubles = 1) const {
    return {*c_, c_->node(), std::make_shared<const HaloPlan>(plan), backend,
            sizeof(double) * static_cast<std::size_t>(doubles)};
  }
  HaloPlan plan_of(const PlanCase& plan_case) const {
    return plan_of_counts(plan_case.counts, c_->rank(), c_->size());
  }

  /// Several rounds with different data. Elements of ranks outside the plan must stay unchanged on both
  /// sides.
  void check(const Transport& transport, const ExchangeSetup& setup) {
    const int me = c_->rank();
    const auto& backend = setup.backend;
    const auto exchange = transport.make(setup);
    const auto doubles = static_cast<lidx>(setup.element_bytes / sizeof(double));
    const auto width = static_cast<std::size_t>(doubles);
    const std::size_t sent = width * static_cast<std::size_t>(setup.plan->send_total());
    const std::size_t received = width * static_cast<std::size_t>(setup.plan->ghosts);
    Buffer<double> send_buffer(backend, sent, Memory::device);
    Buffer<double> source(backend, sent, Memory::staging), empty(backend, received, Memory::staging);
    std::fill_n(empty.data(), received, untouched);
    // Alternates two halos, because x changes between products.
    std::vector<Buffer<double>> halos;
    for (int i = 0; i < 2; ++i) halos.emplace_back(backend, received, Memory::device);
    const auto compute = backend->make_queue(Priority::normal);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    for (int round = 0; round < 4; ++round) {
      Buffer<double>& halo = halos[static_cast<std::size_t>(round % 2)];
      std::vector<double> expected(received, untouched);
      std::fill_n(source.data(), sent, untouched);
      for (const Neighbour& n : setup.plan->neighbours) {
        for (lidx k = 0; k < n.send_count * doubles; ++k)
          source.data()[n.send_offset * doubles + k] = label(me, n.rank, k, round);
        for (lidx k = 0; k < n.receive_count * doubles; ++k)
          expected[static_cast<std::size_t>(n.receive_offset * doubles + k)] = label(n.rank, me, k, round);
      }
      compute->copy(halo.data(), empty.data(), halo.bytes(), Copy::to_device);
      if (round != 2) {  // once without, so that old data could be mistaken for new
        compute->fill(send_buffer.data(), 0xff, send_buffer.bytes());
        compute->synchronize();
        exchange->poison();
      }
      compute->copy(send_buffer.data(), source.data(), send_buffer.bytes(), Copy::to_device);
      compute->record(*ready);
      exchange->start(reinterpret_cast<const std::byte*>(send_buffer.data()), *ready, nullptr);
      exchange->finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, nullptr);
      // Work that waits for `arrived` sees the whole halo.
      Buffer<double> seen(backend, received, Memory::staging);
      compute->wait(*arrived);
      compute->copy(seen.data(), halo.data(), halo.bytes(), Copy::to_host);
      compute->synchronize();
      // Comparing whole vectors would print all elements of a large one.
      const auto wrong = std::mismatch(expected.begin(), expected.end(), seen.data());
      EXPECT_EQ(wrong.first, expected.end())
          << "round " << round << ", element " << (wrong.first - expected.begin()) << ": " << *wrong.second
          << " instead of " << *wrong.first;
    }
  }

  void check_usable(const ExchangeSetup& setup) {
    for (const Transport* transport : usable_transports(setup)) {
      SCOPED_TRACE(transport->name);
      check(*transport, setup);
    }
  }

  std::optional<Communicator> c_;
};

TEST_F(Exchange, EveryTransportBringsEveryElementToItsPlace) {
  for (const TestBackend& backend : product_backends())
    for (const PlanCase& plan_case : plan_cases)
      for (const lidx doubles : {1, 2}) {
        SCOPED_TRACE(std::string(backend.name) + ", " + plan_case.name + ", " + std::to_string(8 * doubles) +
                     " bytes");
        check_usable(setup(plan_of(plan_case), backend.make(*c_), doubles));
      }
}

TEST_F(Exchange, LargeHalosInPieces) {
  for (const TestBackend& backend : product_backends()) {
    SCOPED_TRACE(backend.name);
    check_usable(setup(plan_of(large), backend.make(*c_)));
  }
}

// The host never waits in between: an exchange must not overwrite what the one before it still reads.
TEST_F(Exchange, ManyWithoutWaitingBetweenThem) {
  constexpr int exchanges = 6;
  for (const TestBackend& test_backend : product_backends()) {
    const auto backend = test_backend.make(*c_);
    for (const PlanCase* plan_case : {&plan_cases[1], &plan_cases[3], &plan_cases[5]}) {
      const ExchangeSetup one = setup(plan_of(*plan_case), backend);
      const auto sent = static_cast<std::size_t>(one.plan->send_total());
      const auto received = static_cast<std::size_t>(one.plan->ghosts);
      for (const Transport* transport : usable_transports(one)) {
        SCOPED_TRACE(std::string(transport->name) + ", " + test_backend.name + ", " + plan_case->name);
        const auto exchange = transport->make(one);
        const auto queue = backend->make_queue(Priority::normal);
        const auto ready = backend->make_event(), arrived = backend->make_event();
        Buffer<double> source(backend, sent * exchanges, Memory::staging);
        Buffer<double> send_buffer(backend, sent * exchanges, Memory::device);
        Buffer<double> halo(backend, received * exchanges, Memory::device);
        std::vector<double> expected;
        for (int e = 0; e < exchanges; ++e) {
          std::fill_n(source.data() + sent * static_cast<std::size_t>(e), sent, 10 * c_->rank() + e);
          for (const Neighbour& n : one.plan->neighbours)
            expected.insert(expected.end(), static_cast<std::size_t>(n.receive_count), 10 * n.rank + e);
        }
        for (std::size_t e = 0; e < exchanges; ++e) {
          double* from = send_buffer.data() + sent * e;
          queue->copy(from, source.data() + sent * e, sent * sizeof(double), Copy::to_device);
          queue->record(*ready);
          exchange->start(reinterpret_cast<const std::byte*>(from), *ready, nullptr);
          exchange->finish(reinterpret_cast<std::byte*>(halo.data() + received * e), *arrived, nullptr);
          queue->wait(*arrived);
        }
        queue->synchronize();
        std::vector<double> seen(expected.size());
        download(*backend, seen.data(), halo.data(), seen.size());
        EXPECT_TRUE(seen == expected);
      }
    }
  }
}

// One of two transports that share the neighbours: it may read and write only its own neighbours' elements.
TEST_F(Exchange, PlansWithSomeOfTheNeighbours) {
  std::vector<int> even, lower;
  for (int r = 0; r < c_->size(); ++r) {
    if (r % 2 == 0) even.push_back(r);
    if (r < c_->size() / 2) lower.push_back(r);
  }
  for (const TestBackend& backend : product_backends())
    for (const PlanCase* plan_case : {&plan_cases[3], &large})
      for (const auto& group : {even, lower})
        for (const bool same_side : {true, false}) {
          SCOPED_TRACE(std::string(backend.name) + ", " + plan_case->name +
                       (same_side ? ", within" : ", between"));
          const bool in_group = std::find(group.begin(), group.end(), c_->rank()) != group.end();
          check_usable(
              setup(keep_neighbours(plan_of(*plan_case), group, in_group == same_side), backend.make(*c_)));
        }
}

// Two simulated nodes: neighbours on both, on one, or none.
TEST_F(Exchange, NodeAwareOnTwoNodes) {
  const Transport& node_aware = pick(transports(), "node_aware", "transport");
  for (const TestBackend& backend : product_backends())
    for (const bool halves : {false, true}) {
      const Communicator node = c_->split(halves ? 2 * c_->rank() / c_->size() : c_->rank() % 2);
      for (const PlanCase& plan_case : plan_cases) {
        SCOPED_TRACE(std::string(backend.name) + ", " + plan_case.name +
                     (halves ? ", halves" : ", even and odd"));
        ExchangeSetup split = setup(plan_of(plan_case), backend.make(*c_), 2);
        split.node = node;
        check(node_aware, split);
      }
    }
}

TEST_F(Exchange, WhyATransportIsUnusableIsTheSameOnEveryRank) {
  for (const TestBackend& backend : product_backends())
    for (const bool two_nodes : {false, true}) {
      ExchangeSetup here = setup(plan_of(plan_cases[3]), backend.make(*c_));
      if (two_nodes) here.node = c_->split(c_->rank() % 2);
      for (const Transport& transport : transports()) {
        const std::string name = transport.name, reason = transport.why_unusable(here);
        SCOPED_TRACE(name + ": " + reason);
        EXPECT_EQ(reason, c_->broadcast(reason));
        if (!reason.empty()) {
          EXPECT_THROW(accept_transport(name, here, {}), AgreedError);
        }
        const bool needs_one_node = (name == "shm" || name == "shm_copy") && two_nodes && c_->size() > 1;
        const bool needs_nothing =
            name == "staged" || name == "node_aware" || name == "shm" || name == "shm_copy";
        if (needs_nothing) {
          EXPECT_EQ(reason.empty(), !needs_one_node);
        }
      }
    }
}

// Requests of two exchanges on one communicator must not mix.
TEST_F(Exchange, TwoExchangesOneAfterTheOther) {
  const auto backend = product_backends()[0].make(*c_);
  const ExchangeSetup one = setup(plan_of(plan_cases[1]), backend);
  for (const Transport* transport : usable_transports(one)) {
    const auto first = transport->make(one);
    const auto second = transport->make(one);
    const auto queue = backend->make_queue(Priority::normal);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    const auto send = static_cast<std::size_t>(one.plan->send_total());
    std::vector<double> halo(static_cast<std::size_t>(one.plan->ghosts));
    for (const double value : {1.0, 2.0, 3.0})
      for (HaloExchange* exchange : {first.get(), second.get()}) {
        const double mine = value + (exchange == first.get() ? 0.25 : 0.5);
        const std::vector<double> numbers(send, mine);
        Buffer<double> send_buffer = upload(backend, numbers.data(), send);
        Buffer<double> device_halo(backend, halo.size(), Memory::device);
        queue->record(*ready);
        exchange->start(reinterpret_cast<const std::byte*>(send_buffer.data()), *ready, nullptr);
        exchange->finish(reinterpret_cast<std::byte*>(device_halo.data()), *arrived, nullptr);
        arrived->synchronize();
        download(*backend, halo.data(), device_halo.data(), halo.size());
        EXPECT_EQ(halo, std::vector<double>(halo.size(), mine)) << transport->name;
      }
  }
}

// Rank 0 starts while the others are late; a thread asks the exchange which ranks it waits for.
TEST_F(Exchange, SaysWhatItWaitsFor) {
  const auto backend = product_backends()[0].make(*c_);
  const ExchangeSetup one = setup(plan_of(plan_cases[3]), backend);
  const SharedFolder folder;
  for (const Transport* transport : usable_transports(one)) {
    const auto exchange = transport->make(one);
    if (exchange->is_queued()) continue;  // its host never waits
    const std::string heard = folder.path(transport->name);
    Buffer<double> send_buffer(backend, one.plan->send_index.size(), Memory::device);
    Buffer<double> halo(backend, static_cast<std::size_t>(one.plan->ghosts), Memory::device);
    const auto ready = backend->make_event(), arrived = backend->make_event();
    std::string seen;
    std::atomic<bool> done{false};
    std::thread watcher([&] {
      while (!done && seen.find("rank") == std::string::npos) {
        seen = exchange->waiting_for();
        std::this_thread::yield();
      }
      if (c_->rank() == 0) std::ofstream{heard};
    });
    // The others start when rank 0 has given its answer, after ten minutes at the latest on a busy machine.
    for (int tries = 0; c_->rank() > 0 && tries < 600'000 && !std::filesystem::exists(heard); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    exchange->start(reinterpret_cast<const std::byte*>(send_buffer.data()), *ready, nullptr);
    exchange->finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, nullptr);
    done = true;
    watcher.join();
    EXPECT_EQ(exchange->waiting_for(), "") << transport->name;
    if (c_->rank() == 0 && c_->size() > 1) {
      EXPECT_NE(seen.find("rank"), std::string::npos) << transport->name;
    }
    c_->barrier();
  }
}

TEST_F(Exchange, PhasesAreLoggedOnce) {
  const auto backend = product_backends().back().make(*c_);
  for (const PlanCase* plan_case : {&plan_cases[3], &large}) {
    const ExchangeSetup one = setup(plan_of(*plan_case), backend);
    for (const Transport* transport : usable_transports(one)) {
      SCOPED_TRACE(std::string(transport->name) + ", " + plan_case->name);
      const auto exchange = transport->make(one);
      Buffer<double> send_buffer(backend, one.plan->send_index.size(), Memory::device);
      Buffer<double> halo(backend, static_cast<std::size_t>(one.plan->ghosts), Memory::device);
      const auto queue = backend->make_queue(Priority::normal);
      const auto ready = backend->make_event(), arrived = backend->make_event();
      PhaseLog log(backend);
      queue->fill(send_buffer.data(), 0, send_buffer.bytes());
      log.begin_product(*queue);
      queue->record(*ready);
      exchange->start(reinterpret_cast<const std::byte*>(send_buffer.data()), *ready, &log);
      exchange->finish(reinterpret_cast<std::byte*>(halo.data()), *arrived, &log);
      arrived->synchronize();
      queue->synchronize();
      const auto intervals = log.intervals();
      EXPECT_TRUE(!intervals.empty() || one.plan->neighbours.empty());
      for (const Interval& i : intervals) {
        EXPECT_GE(i.begin, 0) << phase_name(i.phase);
        EXPECT_LE(i.begin, i.end) << phase_name(i.phase);
      }
    }
  }
}

}  // namespace
}  // namespace spmv::test
