// Chooses transports by given times, without measuring.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/choose/choose_transport.hpp"
#include "comm/transports/make.hpp"
#include "support/matrix_market.hpp"
#include "support/mpi_test.hpp"
#include "support/product_backends.hpp"
#include "support/ring.hpp"

namespace spmv::test {
namespace {

struct Case {
  double waits_s;  // of the exchange whose host waits; the queued one takes 20 ms
  const char* name;
  const char* reason;
};

class ChooseByTimes : public BackendsTest {};

TEST_F(ChooseByTimes, TheFastestOrAQueuedOneAboutAsFast) {
  if (world().size() == 1) GTEST_SKIP() << "needs neighbours";
  TransportReport shut, waits, queued;
  shut.name = "shut";
  shut.refused = "closed today";
  waits.name = "waits";
  queued.name = "queued";
  queued.exchange_s = 0.02;
  queued.queued_exchange = true;
  waits.tried = queued.tried = true;
  for (const Case& c : {Case{0.001, "waits", "the fastest for this halo of 2 that work"},
                        Case{0.019, "queued",
                             "2 work; within 10 % of the fastest and queued, so that the host does not wait"},
                        Case{0.021, "queued", "the fastest for this halo of 2 that work"}}) {
    waits.exchange_s = c.waits_s;
    TransportRequest request;
    request.earlier_trials =
        std::make_shared<std::vector<TransportReport>>(std::vector<TransportReport>{shut, queued, waits});
    const TransportChoice choice = choose_transport(ring(world(), product_backends()[0], 50), request, false);
    EXPECT_EQ(choice.name, c.name) << c.waits_s;
    EXPECT_EQ(choice.reason, c.reason) << c.waits_s;
  }
}

/// Works in a trial; for the whole halo the last rank has too little memory.
std::unique_ptr<HaloExchange> make_nowhere(const ExchangeSetup& setup) {
  return setup.communicator.together([&]() -> std::unique_ptr<HaloExchange> {
    if (setup.communicator.rank() == setup.communicator.size() - 1)
      throw Error(ExitCode::memory, "no room for the window");
    return nullptr;
  });
}

const Transport roomy = {"roomy", "", always_usable, make_staged_exchange};
const Transport tight = {"tight", "", always_usable, make_nowhere};
const Transport queued_one = {"queued", "", always_usable, make_shm_exchange};
const Transport tight_too = {"tight_too", "", always_usable, make_nowhere};

/// A request with finished trials of these transports, fastest first: each takes ten times as long as the one
/// before.
TransportRequest tried(const std::vector<Transport>& table) {
  TransportRequest request;
  request.earlier_trials = std::make_shared<std::vector<TransportReport>>();
  double exchange_s = 1e-6;
  for (const Transport& transport : table) {
    TransportReport report;
    report.name = transport.name;
    report.tried = true;
    report.exchange_s = exchange_s *= 10;
    report.queued_exchange = report.name != "roomy";
    request.earlier_trials->push_back(report);
  }
  return request;
}

TEST_F(ChooseByTimes, WhatCannotBeSetUpGivesWayToTheNext) {
  if (world().size() == 1) GTEST_SKIP() << "needs neighbours";
  const ExchangeSetup setup = ring(world(), product_backends()[0], 50);
  const std::vector<Transport> table = {tight, roomy, tight_too, queued_one};
  const TransportRequest request = tried(table);
  const ChosenExchange chosen = set_up_transport(auto_transport, setup, request, false, table);
  EXPECT_EQ(chosen.choice.name, "roomy");
  ASSERT_NE(chosen.exchange, nullptr);
  EXPECT_EQ(chosen.choice.reason, "the fastest for this halo of 3 that work");
  EXPECT_EQ(chosen.choice.reports[0].refused, "cannot be set up for the whole halo: no room for the window");
  EXPECT_TRUE(chosen.choice.reports[0].tried);
  // The next choice for the same halo knows of these failures, and finds one more.
  const ChosenExchange queued = set_up_transport(auto_transport, setup, request, true, table);
  EXPECT_EQ(queued.choice.name, "queued");
  EXPECT_TRUE(queued.exchange->is_queued());
  for (const std::size_t refused : {0, 1, 2}) EXPECT_FALSE(queued.choice.reports[refused].works());
}

TEST_F(ChooseByTimes, ANamedTransportGivesWayToNone) {
  const ExchangeSetup setup = ring(world(), product_backends()[0], 50);
  const Error named = error_of([&] { set_up_transport("tight", setup, {}, false, {tight, roomy}); });
  EXPECT_STREQ(named.what(), "no room for the window");
  if (world().size() == 1) return;
  const Error none = error_of([&] {
    set_up_transport(auto_transport, setup, tried({tight, tight_too}), false, {tight, tight_too});
  });
  EXPECT_EQ(none.code(), ExitCode::environment);
  for (const char* part : {"tight: cannot be set up", "tight_too: cannot be set up"})
    EXPECT_NE(std::string(none.what()).find(part), std::string::npos) << none.what();
}

}  // namespace
}  // namespace spmv::test
