#include "core/phase_log.hpp"

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::map<Phase, Interval> by_phase(const PhaseLog& log) {
  std::map<Phase, Interval> map;
  for (const Interval& interval : log.intervals()) map.emplace(interval.phase, interval);
  return map;
}

class PhaseLogs : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Backend> backend_ =
      std::string(GetParam()) == "host" ? make_host_backend({}) : make_debug_backend({});
};
INSTANTIATE_TEST_SUITE_P(PhaseLog, PhaseLogs, testing::Values("host", "debug"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(PhaseLogs, HostAndDeviceShareOneTimeAxis) {
  const auto queue = backend_->make_queue(Priority::normal);
  PhaseLog log(backend_);
  const auto before = std::chrono::steady_clock::now();
  log.begin_product(*queue);
  queue->synchronize();
  const std::chrono::duration<double> begin = std::chrono::steady_clock::now() - before;
  nap();
  {
    const DevicePhase phase(&log, Phase::gather, *queue);
    queue->run(nap);
  }
  queue->synchronize();
  {
    const HostPhase phase(&log, Phase::mpi);
    nap();
  }
  {
    const DevicePhase phase(&log, Phase::interior, *queue);
    queue->run(nap);
  }
  queue->synchronize();
  const auto phases = by_phase(log);
  ASSERT_EQ(phases.size(), 3u);
  const Interval gather = phases.at(Phase::gather), mpi = phases.at(Phase::mpi),
                 local = phases.at(Phase::interior);
  EXPECT_GE(gather.begin, 0.001);
  for (const Interval& i : {gather, mpi, local}) EXPECT_GE(i.end - i.begin, 0.002);
  const double origins = begin.count();  // both clocks start within this interval
  EXPECT_LE(gather.end, mpi.begin + origins);
  EXPECT_LE(mpi.end, local.begin + origins);
}

TEST_P(PhaseLogs, ANewProductForgetsTheLast) {
  const auto queue = backend_->make_queue(Priority::normal);
  PhaseLog log(backend_);
  log.begin_product(*queue);
  { const HostPhase phase(&log, Phase::mpi); }
  { const DevicePhase phase(&log, Phase::merged, *queue); }
  queue->synchronize();
  EXPECT_EQ(log.intervals().size(), 2u);
  log.begin_product(*queue);
  EXPECT_TRUE(log.intervals().empty());
}

TEST(PhaseLog, WithoutALogNothingHappens) {
  const auto backend = make_host_backend({});
  const auto queue = backend->make_queue(Priority::normal);
  const DevicePhase device(nullptr, Phase::interior, *queue);
  const HostPhase host(nullptr, Phase::mpi);
}

TEST(PhaseLog, EveryPhaseHasItsName) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < phase_count; ++i) names.insert(phase_name(static_cast<Phase>(i)));
  EXPECT_EQ(names.size(), phase_count);
  EXPECT_EQ(phase_name(Phase::upload_x), std::string("upload_x"));
  EXPECT_EQ(phase_name(Phase::download_y), std::string("download_y"));
}

}  // namespace
}  // namespace spmv::test
