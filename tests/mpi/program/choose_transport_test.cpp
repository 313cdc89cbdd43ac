// Tries and chooses transports, from tables of made-up ones that work, fail in every way, or hang.
#include "comm/choose/choose_transport.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comm/choose/child_trial.hpp"
#include "comm/transports/make.hpp"
#include "support/matrix_market.hpp"
#include "support/mpi_test.hpp"
#include "support/ring.hpp"

namespace spmv::test {
namespace {

/// `staged`, with the changes that a test needs.
class Altered : public HaloExchange {
 public:
  explicit Altered(const ExchangeSetup& setup)
      : rank_(setup.communicator.rank()),
        plan_(setup.plan),
        backend_(setup.backend),
        inner_(make_staged_exchange(setup)) {}
  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    inner_->start(send_buffer, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override { inner_->finish(halo, arrived, log); }
  void poison() override { inner_->poison(); }

 protected:
  int rank_;
  std::shared_ptr<const HaloPlan> plan_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<HaloExchange> inner_;
};

class Slow final : public Altered {
 public:
  using Altered::Altered;
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    Altered::finish(halo, arrived, log);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  bool is_queued() const override { return true; }
};

/// Corrupts the last byte on the highest rank.
class Wrong final : public Altered {
 public:
  explicit Wrong(const ExchangeSetup& setup) : Altered(setup), last_(setup.communicator.size() - 1) {
    bytes_ = static_cast<std::size_t>(plan_->ghosts) * setup.element_bytes;
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    Altered::finish(halo, arrived, log);
    if (rank_ != last_ || bytes_ == 0) return;
    const auto queue = backend_->make_queue(Priority::normal);
    queue->wait(arrived);
    queue->fill(halo + bytes_ - 1, 0xff, 1);
    queue->record(arrived);
    queue->synchronize();
  }

 private:
  int last_;
  std::size_t bytes_ = 0;
};

/// Never returns on rank 0.
class Hanging final : public Altered {
 public:
  using Altered::Altered;
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    while (rank_ == 0) std::this_thread::sleep_for(std::chrono::hours(1));
    Altered::finish(halo, arrived, log);
  }
  std::string waiting_for() const override { return "a letter"; }
};

/// Sends nothing from rank 0, so that its neighbours block in MPI.
class Mute final : public Altered {
 public:
  using Altered::Altered;
  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    if (rank_ == 0) throw Error(ExitCode::internal, "lost its voice");
    Altered::start(send_buffer, ready, log);
  }
};

template <class Exchange>
std::unique_ptr<HaloExchange> make(const ExchangeSetup& setup) {
  return std::make_unique<Exchange>(setup);
}

std::unique_ptr<HaloExchange> make_on_some(const ExchangeSetup& setup) {
  auto made = std::make_unique<Altered>(setup);
  if (setup.communicator.rank() == setup.communicator.size() - 1)
    throw Error(ExitCode::environment, "no more doors");
  return made;
}

std::string closed(const ExchangeSetup&) {
  return "closed today";
}

const Transport shut = {"shut", "", closed, make<Altered>};
const Transport partial = {"partial", "", always_usable, make_on_some};
const Transport wrong = {"wrong", "", always_usable, make<Wrong>};
const Transport hanging = {"hanging", "", always_usable, make<Hanging>};
const Transport mute = {"mute", "", always_usable, make<Mute>};
const Transport slow = {"slow", "", always_usable, make<Slow>};
const Transport fast = {"fast", "", always_usable, make<Altered>};

class ChooseTransport : public BackendsTest {
 protected:
  void SetUp() override {
    BackendsTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) c_.emplace(world());
  }
  ExchangeSetup setup(const TestBackend& backend, lidx count = 50) { return ring(*c_, backend, count); }
  ExchangeSetup setup() { return setup(product_backends()[0]); }
  /// The choice; its text must be the same on every rank.
  TransportChoice choose(const std::vector<Transport>& table, bool needs_queued_exchange = false,
                         const TransportRequest& request = {}) {
    const TransportChoice choice = choose_transport(setup(), request, needs_queued_exchange, table);
    std::string all = choice.name + choice.reason;
    for (const TransportReport& report : choice.reports) all += to_string(report);
    EXPECT_EQ(c_->broadcast(all), all);
    return choice;
  }
  bool alone() const { return c_->size() == 1; }

  std::optional<Communicator> c_;
};

/// The name that the choice between `slow` and `fast` must give for the measured times, which are
/// unpredictable on a busy machine. `slow` is queued, and so preferred if the two are within 10 %.
const char* by_times(const TransportReport& slow_report, const TransportReport& fast_report) {
  return slow_report.exchange_s > 1.1 * fast_report.exchange_s ? "fast" : "slow";
}

TEST_F(ChooseTransport, TheFastestOfThoseThatWork) {
  const TransportChoice choice = choose({shut, slow, fast});
  if (alone()) {
    EXPECT_EQ(choice.name, "slow");
    EXPECT_EQ(choice.reason, "no neighbours: nothing to move");
    EXPECT_TRUE(choice.reports.empty());
    return;
  }
  ASSERT_EQ(choice.reports.size(), 3U);
  EXPECT_EQ(choice.name, by_times(choice.reports[1], choice.reports[2]));
  EXPECT_EQ(to_string(choice.reports[0]), "refused: closed today");
  EXPECT_GE(choice.reports[1].exchange_s, 0.02);
  EXPECT_GE(choice.reports[1].latency_s, 0.02);
  EXPECT_GT(choice.reports[2].exchange_s, 0);
}

TEST_F(ChooseTransport, OneThatIsSlowToStartWhereItCanPay) {
  if (alone()) GTEST_SKIP() << "needs neighbours";
  Transport costly = fast;
  costly.name = "costly";
  costly.usual_start_s = 1000;
  TransportRequest few;
  few.products = 3;
  const TransportChoice without = choose({slow, costly}, false, few);
  EXPECT_EQ(without.name, "slow");
  EXPECT_NE(without.reports[1].refused.find("takes some 1000 s to start"), std::string::npos);
  EXPECT_FALSE(without.reports[1].tried);
  TransportRequest many;
  many.products = 1e9;
  EXPECT_TRUE(choose({slow, costly}, false, many).reports[1].works());
  EXPECT_TRUE(choose({slow, costly}).reports[1].works());
  // If no queued transport has worked yet, even the one that starts slowly is tried: a mode may need it.
  EXPECT_TRUE(choose({fast, costly}, false, few).reports[1].works());
}

TEST_F(ChooseTransport, OnlyThoseThatCanBeQueued) {
  const TransportChoice choice = choose({fast, slow}, true);
  EXPECT_EQ(choice.name, "slow");
  EXPECT_EQ(choice.reason, alone() ? "no neighbours: nothing to move"
                                   : "the only one that works and can be queued as a whole");
  try {
    choose({fast, shut}, true);
    FAIL() << "chose an exchange whose host waits";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("fast: its host has to wait"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("shut: closed today"), std::string::npos) << error.what();
  }
}

/// Number of exchanges that make_counted() has made on this rank.
int& made() {
  static int count = 0;
  return count;
}

template <class Exchange>
std::unique_ptr<HaloExchange> make_counted(const ExchangeSetup& setup) {
  ++made();
  return std::make_unique<Exchange>(setup);
}

// In either order the second choice tries nothing, and reports what its own trials would have found.
TEST_F(ChooseTransport, OneRoundOfTrialsServesBothChoices) {
  if (alone()) GTEST_SKIP() << "needs neighbours";
  const std::vector<Transport> table = {{"waits", "", always_usable, make_counted<Altered>},
                                        shut,
                                        {"queues", "", always_usable, make_counted<Slow>},
                                        wrong};
  for (const bool queued_first : {false, true}) {
    SCOPED_TRACE(queued_first ? "queued first" : "queued last");
    TransportRequest request;
    request.earlier_trials = std::make_shared<std::vector<TransportReport>>();
    const TransportChoice first = choose(table, queued_first, request);
    const int tried = made();
    const TransportChoice second = choose(table, !queued_first, request);
    EXPECT_EQ(made(), tried) << "tried again";

    for (const bool needs_queued_exchange : {false, true}) {
      const TransportChoice& choice = needs_queued_exchange == queued_first ? first : second;
      const TransportChoice expected = choose(table, needs_queued_exchange);
      EXPECT_GT(made(), tried);
      ASSERT_EQ(choice.reports.size(), table.size());
      const bool fast = by_times(choice.reports[2], choice.reports[0]) == std::string("fast");
      EXPECT_EQ(choice.name, needs_queued_exchange || !fast ? "queues" : "waits");
      for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(choice.reports[i].name, table[i].name);
        EXPECT_EQ(choice.reports[i].refused, expected.reports[i].refused);
        EXPECT_EQ(choice.reports[i].tried, expected.reports[i].tried);
        EXPECT_EQ(choice.reports[i].queued_exchange, expected.reports[i].queued_exchange);
        EXPECT_EQ(choice.reports[i].exchange_s > 0, choice.reports[i].works());
      }
      EXPECT_EQ(choice.reports[0].works(), !needs_queued_exchange);
      if (needs_queued_exchange) {
        EXPECT_EQ(choice.reports[0].refused, "its host has to wait: it cannot be queued as a whole");
      }
    }
    // The reports of a transport that serves both choices come from the same measurement.
    EXPECT_EQ(first.reports[2].exchange_s, second.reports[2].exchange_s);
  }
}

// If the first choice finds nothing, the second still uses its trials.
TEST_F(ChooseTransport, AFailedChoiceLeavesItsTrials) {
  if (alone()) GTEST_SKIP() << "needs neighbours";
  const std::vector<Transport> table = {{"waits", "", always_usable, make_counted<Altered>}};
  TransportRequest request;
  request.earlier_trials = std::make_shared<std::vector<TransportReport>>();
  EXPECT_THROW(choose(table, true, request), AgreedError);
  const int tried = made();
  EXPECT_EQ(choose(table, false, request).name, "waits");
  EXPECT_EQ(made(), tried) << "tried again";
}

TEST_F(ChooseTransport, FailuresOnOneRankAreEveryonesReason) {
  if (alone()) GTEST_SKIP() << "needs neighbours";
  const TransportChoice choice = choose({wrong, partial, fast});
  EXPECT_EQ(choice.name, "fast");
  EXPECT_EQ(choice.reason, "the only one that works");
  ASSERT_EQ(choice.reports.size(), 3U);
  const std::string last = std::to_string(c_->size() - 1);
  EXPECT_EQ(choice.reports[0].refused.rfind("brought wrong data to rank " + last + ": byte 399 of 400", 0),
            0U)
      << choice.reports[0].refused;
  EXPECT_EQ(choice.reports[1].refused, "no more doors");
}

/// Counts its objects on this rank.
class Watched final : public Altered {
 public:
  explicit Watched(const ExchangeSetup& setup) : Altered(setup) { ++living(); }
  ~Watched() override { --living(); }
  static int& living() {
    static int count = 0;
    return count;
  }
};

std::unique_ptr<HaloExchange> make_watched_on_some(const ExchangeSetup& setup) {
  auto made = std::make_unique<Watched>(setup);
  if (setup.communicator.rank() == setup.communicator.size() - 1)
    throw Error(ExitCode::environment, "no more doors");
  return made;
}

TEST_F(ChooseTransport, WithoutALimitNothingIsLeftBehind) {
  if (alone()) GTEST_SKIP() << "needs neighbours";
  TransportTrialLimits limits;
  limits.limit_s = 0;
  const Transport watched = {"watched", "", always_usable, make_watched_on_some};
  EXPECT_EQ(try_transport(watched, setup(), limits).refused, "no more doors");
  EXPECT_EQ(Watched::living(), 0);
  EXPECT_EQ(try_transport(fast, setup(), limits).refused, "");
}

TEST_F(ChooseTransport, WhatHangsIsLeftBehind) {
  if (alone() || MpiSession::thread_level() < ThreadLevel::multiple)
    GTEST_SKIP() << "needs neighbours and MPI_THREAD_MULTIPLE, to try a transport in a thread that may hang";
  TransportRequest request;
  Transport patient = slow;
  patient.start_s = 120;
  TransportChoice choice;
  std::string hangs;
  // On a busy machine the limit may pass before rank 0 reaches the place where it hangs.
  for (request.limit_s = 3; request.limit_s < 50; request.limit_s *= 4) {
    choice = choose({hanging, mute, patient}, false, request);
    hangs = fmt::format("no answer within {:g} s: rank 0 waits for a letter", request.limit_s);
    if (choice.reports[0].refused == hangs && choice.reports[1].refused == "lost its voice") break;
  }
  EXPECT_EQ(choice.name, "slow");
  EXPECT_EQ(choice.reports[0].refused, hangs);
  EXPECT_EQ(choice.reports[1].refused, "lost its voice");
  // The same ranks go on.
  EXPECT_EQ(choose({shut, fast}).name, "fast");
}

TEST_F(ChooseTransport, EveryTransportBringsKnownData) {
  for (const TestBackend& backend : product_backends())
    for (const lidx count : {1, 3000})
      for (const Transport& transport : transports()) {
        const ExchangeSetup with = setup(backend, count);
        if (!transport.why_unusable(with).empty() || transport.may_fault != nullptr) continue;
        const TransportReport report = try_transport(transport, with, {});
        EXPECT_EQ(report.refused, "") << transport.name << " on " << backend.name;
        EXPECT_GT(report.exchange_s, 0) << transport.name;
        EXPECT_GT(report.latency_s, 0) << transport.name;
      }
}

TEST_F(ChooseTransport, NamedTransports) {
  EXPECT_EQ(accept_transport("fast", setup(), {}, {shut, fast}).reason, "named by the user");
  EXPECT_THROW(accept_transport("shut", setup(), {}, {shut, fast}), AgreedError);
  EXPECT_THROW(accept_transport("pigeon", setup(), {}, {shut, fast}), AgreedError);
}

TEST_F(ChooseTransport, AloneOnOneRank) {
  if (!alone()) GTEST_SKIP() << "runs on one rank only";
  const auto backend = product_backends()[0].make(*c_);
  EXPECT_NO_THROW(try_alone(fast, *c_, backend));
  EXPECT_EQ(error_of([&] { try_alone(wrong, *c_, backend); }).code(), ExitCode::wrong_result);
}

ChildTrial shell(const std::string& script, double limit_s = 20) {
  return try_in_child({"/bin/sh", "-c", script}, limit_s);
}

TEST(ChildTrial, EndsAreToldApart) {
  EXPECT_EQ(shell("exit 0").end, ChildTrial::End::worked);
  EXPECT_EQ(shell("exit 0").reason, "");
  EXPECT_EQ(shell("exit 3").reason, "brought wrong data in a trial");
  EXPECT_EQ(shell("exit 3").end, ChildTrial::End::failed);
  EXPECT_EQ(shell("kill -SEGV $$").reason, "faulted in a trial (signal 11)");
  EXPECT_EQ(shell("kill -SEGV $$").end, ChildTrial::End::failed);
  EXPECT_EQ(shell("exit 5").end, ChildTrial::End::unable);
  EXPECT_EQ(try_in_child({"/no/such/program"}, 1).end, ChildTrial::End::unable);
}

TEST(ChildTrial, OneThatHangsIsEnded) {
  const auto begin = std::chrono::steady_clock::now();
  const ChildTrial trial = shell("sleep 60", 0.2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(trial.end, ChildTrial::End::failed);
  EXPECT_EQ(trial.reason, "gave no answer within 0.2 s in a trial");
}

// Starts the program beside this run's ranks: its MPI must start alone, whatever launcher started the ranks.
TEST(ChildTrial, TheProgramTriesATransport) {
  const auto end = [](const char* transport, const char* backend) {
    // AddressSanitizer would make the exit code from leaks of MPI's plugins, which are unloaded at exit, and
    // from faults, which must stay signals.
    const ChildTrial trial = try_in_child({"/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0:handle_segv=0",
                                           SPMV_PROGRAM, "--try-transport", transport, backend},
                                          60);
    EXPECT_EQ(trial.reason.empty(), trial.end == ChildTrial::End::worked) << trial.reason;
    return trial.end;
  };
  if (world().rank() > 0) return;
  EXPECT_EQ(end("staged", "host"), ChildTrial::End::worked);
  EXPECT_EQ(end("shm", "debug"), ChildTrial::End::worked);
  EXPECT_EQ(end("gpu_aware", "debug"), ChildTrial::End::failed) << "MPI cannot access this memory";
  EXPECT_EQ(end("pigeon", "host"), ChildTrial::End::unable);
}

TEST(ChildTrial, TheLaunchersVariablesStayBehind) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE=2", "PMIX_RANK=0", "PMI_FD=4", "SLURM_PROCID=1",
                               "OMPI_MCA_ess=^singleton", "OMPI_MCA_orte_hnp_uri=x", "OMPI_MCA_pmix=^s1"})
    EXPECT_FALSE(passes_to_child(variable)) << variable;
  for (const char* variable : {"PATH=/bin", "LD_LIBRARY_PATH=x", "CUDA_VISIBLE_DEVICES=1", "HOME=/root",
                               "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_MCA_pml=ob1"})
    EXPECT_TRUE(passes_to_child(variable)) << variable;
  EXPECT_EQ(shell("test -z \"$OMPI_COMM_WORLD_SIZE$PMIX_RANK\"").end, ChildTrial::End::worked);
}

}  // namespace
}  // namespace spmv::test
