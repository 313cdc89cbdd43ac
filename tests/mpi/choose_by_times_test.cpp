// The choice of a transport by times that are given, so that nothing is measured.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/choose/choose_transport.hpp"
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
  for (const Case& c :
       {Case{0.001, "waits", "fastest for this halo of 2 that work"},
        Case{0.019, "queued", "of 2 that work about as fast as the fastest, and its host waits for nothing"},
        Case{0.021, "queued", "fastest for this halo of 2 that work"}}) {
    waits.exchange_s = c.waits_s;
    TransportRequest request;
    request.earlier_trials =
        std::make_shared<std::vector<TransportReport>>(std::vector<TransportReport>{shut, queued, waits});
    const TransportChoice choice = choose_transport(ring(world(), product_backends()[0], 50), request, false);
    EXPECT_EQ(choice.name, c.name) << c.waits_s;
    EXPECT_EQ(choice.reason, c.reason) << c.waits_s;
  }
}

}  // namespace
}  // namespace spmv::test
