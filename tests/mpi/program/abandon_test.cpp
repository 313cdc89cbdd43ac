// Every transport, abandoned in every phase of its trial: one rank stops for ever, the others wait for it inside
// the transport. Nothing of it may be released, because messages, neighbours and libraries still write there;
// the run goes on, and ends. Meant for AddressSanitizer and ThreadSanitizer, too.
#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comm/choose/transport_trial.hpp"
#include "comm/patience.hpp"
#include "comm/transports/make.hpp"
#include "support/mpi_test.hpp"
#include "support/ring.hpp"

namespace spmv::test {
namespace {

/// Where a rank stops.
enum class Phase { making, made, starting, finishing, finished, measuring, making_again, made_again };

struct PhaseName {
  Phase phase;
  const char* name;
};
constexpr PhaseName phases[] = {{Phase::making, "before the exchange is made"},
                                {Phase::made, "when the exchange is made"},
                                {Phase::starting, "before its first start"},
                                {Phase::finishing, "before its first finish"},
                                {Phase::finished, "after its first finish"},
                                {Phase::measuring, "while it is measured"},
                                {Phase::making_again, "before the second exchange is made"},
                                {Phase::made_again, "when the second exchange is made"}};

/// The transport under trial, the rank that stops, and where. Transport's functions take no other arguments.
struct Case {
  Transport transport;
  Phase phase;
  int rank;
  std::atomic<int> made{0};  // exchanges
  std::atomic<bool> stopped{false};
};

/// The case under way. All of them are kept: threads that were abandoned go on looking at theirs.
std::atomic<Case*>& current_case() {
  static std::atomic<Case*> current{nullptr};
  return current;
}
void begin_case(const Transport& transport, Phase phase, int rank) {
  static std::list<Case> all;
  Case& added = all.emplace_back();
  added.transport = transport;
  added.phase = phase;
  added.rank = rank;
  current_case() = &added;
}

/// Stops the rank that is to stop in this phase, until it is abandoned.
void stop_in(Case& of, Phase phase, int rank) {
  if (phase != of.phase || rank != of.rank) return;
  of.stopped = true;
  Patience patience;
  while (true) patience.pause();
}

class Stopping final : public HaloExchange {
 public:
  Stopping(Case& of, std::unique_ptr<HaloExchange> inner, int rank)
      : case_(of), inner_(std::move(inner)), rank_(rank) {}
  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    constexpr int of_measuring = 4;  // three starts check the data
    if (++starts_ == of_measuring) stop_in(case_, Phase::measuring, rank_);
    if (starts_ == 1) stop_in(case_, Phase::starting, rank_);
    inner_->start(send_buffer, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (starts_ == 1) stop_in(case_, Phase::finishing, rank_);
    inner_->finish(halo, arrived, log);
    if (starts_ == 1) stop_in(case_, Phase::finished, rank_);
  }
  void poison() override { inner_->poison(); }
  std::string waiting_for() const override { return inner_->waiting_for(); }

 private:
  Case& case_;
  std::unique_ptr<HaloExchange> inner_;
  int rank_;
  int starts_ = 0;
};

std::unique_ptr<HaloExchange> make_stopping(const ExchangeSetup& setup) {
  const int rank = setup.communicator.rank();
  Case& mine = *current_case();
  const bool again = mine.made++ > 0;
  stop_in(mine, again ? Phase::making_again : Phase::making, rank);
  auto exchange = std::make_unique<Stopping>(mine, mine.transport.make(setup), rank);
  stop_in(mine, again ? Phase::made_again : Phase::made, rank);
  return exchange;
}

/// Whether nobody writes to freed memory while MPI finishes whatever is under way. Uses a new thread, which
/// gets the heap of ended threads.
bool free_memory_is_left_alone(const Communicator& all) {
  bool alone = true;
  std::thread([&] {
    constexpr int rounds = 20;
    std::vector<std::vector<unsigned char>> blocks;
    for (std::size_t i = 0; i < 2000; ++i)
      blocks.emplace_back(8 + 8 * (i % 40), static_cast<unsigned char>(i));
    for (int round = 0; round < rounds; ++round) all.barrier();
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (const unsigned char byte : blocks[i]) alone = alone && byte == static_cast<unsigned char>(i);
  }).join();
  return alone;
}

class AbandonedTrial : public BackendsTest {
 protected:
  void SetUp() override {
    BackendsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (world().size() == 1) GTEST_SKIP() << "needs at least two ranks";
    if (MpiSession::thread_level() < ThreadLevel::multiple)
      GTEST_SKIP() << "without threads nothing is abandoned";
  }
};

TEST_F(AbandonedTrial, EveryTransportInEveryPhase) {
  int stopping = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport& transport : transports()) {
      const ExchangeSetup setup = ring(world(), backend, 3000);
      if (transport.may_fault != nullptr && backend.make(world())->device_id() != "") continue;
      if (!transport.why_unusable(setup).empty()) continue;
      for (const auto& [phase, name] : phases) {
        SCOPED_TRACE(std::string(transport.name) + " on " + backend.name + ", a rank stops " + name);
        // On a busy machine the limit may pass before the rank reaches the place where it stops.
        TransportTrialLimits limits;
        bool stopped = false;
        for (limits.limit_s = 0.08; !stopped && limits.limit_s < 100; limits.limit_s *= 10) {
          begin_case(transport, phase, stopping++ % world().size());
          const TransportReport report =
              try_transport({transport.name, "", always_usable, make_stopping}, setup, limits);
          EXPECT_FALSE(report.works());
          const std::string abandoned = fmt::format("no answer within {:g} s: rank ", limits.limit_s);
          EXPECT_EQ(report.refused.rfind(abandoned, 0), 0U) << report.refused;
          EXPECT_TRUE(free_memory_is_left_alone(world()));
          stopped = world().sum(offset{current_case().load()->stopped}) > 0;
        }
        EXPECT_TRUE(stopped);
      }
      EXPECT_EQ(try_transport(transport, setup, {}).refused, "") << transport.name << " no longer works";
    }
  EXPECT_GT(stopping, 0) << "no transport works here";
}

// Nobody stops: the limit cuts trials that go well, wherever they are at that moment, and it may find every
// rank at another place.
TEST_F(AbandonedTrial, AtAnyMoment) {
  for (const TestBackend& backend : product_backends())
    for (const Transport& transport : transports()) {
      const ExchangeSetup setup = ring(world(), backend, 3000);
      if (transport.may_fault != nullptr && backend.make(world())->device_id() != "") continue;
      if (!transport.why_unusable(setup).empty()) continue;
      Transport at_once = transport;
      at_once.start_s = 0;
      for (const double milliseconds : {0.0, 0.1, 0.3, 1.0, 3.0, 10.0}) {
        SCOPED_TRACE(std::string(transport.name) + " on " + backend.name);
        TransportTrialLimits limits;
        limits.limit_s = milliseconds * 1e-3;
        const TransportReport report = try_transport(at_once, setup, limits);
        if (!report.works()) {
          EXPECT_EQ(report.refused.rfind("no answer within ", 0), 0U) << report.refused;
        }
        EXPECT_TRUE(free_memory_is_left_alone(world()));
      }
      EXPECT_EQ(try_transport(transport, setup, {}).refused, "") << transport.name << " no longer works";
    }
}

std::unique_ptr<HaloExchange> make_late(const ExchangeSetup& setup) {
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  return make_staged_exchange(setup);
}

// The limit begins when the library has had the time that it needs to start.
TEST_F(AbandonedTrial, NotForALibraryThatStartsSlowly) {
  const ExchangeSetup setup = ring(world(), product_backends()[0], 50);
  TransportTrialLimits limits;
  limits.limit_s = 0.1;
  Transport late = {"late", "", always_usable, make_late};
  EXPECT_FALSE(try_transport(late, setup, limits).works());
  late.start_s = 120;
  EXPECT_EQ(try_transport(late, setup, limits).refused, "");
}

}  // namespace
}  // namespace spmv::test
