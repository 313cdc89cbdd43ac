// The timeline file for hand-made intervals. Times in microseconds.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/report/fields.hpp"
#include "app/report/report.hpp"

namespace spmv::test {
namespace {

Interval phase(Phase name, double begin_us, double end_us) {
  return {name, begin_us * 1e-6, end_us * 1e-6};
}

/// Two ranks in vector and task mode.
RunReport example() {
  const std::vector<Interval> way = {phase(Phase::gather, 0, 2), phase(Phase::d2h, 2, 4),
                                     phase(Phase::mpi, 4, 9), phase(Phase::h2d, 9, 10)};
  ModeResult vector;
  vector.mode = "vector";
  vector.timeline = {way, way};
  for (auto& intervals : vector.timeline) intervals.push_back(phase(Phase::merged, 10, 20));
  ModeResult task;
  task.mode = "task";
  task.layout = "parted";
  task.comm_thread = true;
  task.timeline = {way, way};
  for (auto& intervals : task.timeline) {
    intervals.push_back(phase(Phase::interior, 1, 12));
    intervals.push_back(phase(Phase::boundary, 12, 14));
  }
  RunReport report;
  report.ranks = 2;
  report.modes = {vector, task};
  return report;
}

/// Maps "pid.tid" to the thread's name.
std::map<std::string, std::string> threads(const Json& events) {
  std::map<std::string, std::string> names;
  for (const Json& e : events)
    if (e["name"] == "thread_name") names[e["pid"].dump() + "." + e["tid"].dump()] = e["args"]["name"];
  return names;
}

TEST(Trace, AProcessForEveryRankAndAThreadForEverythingBesideTheRest) {
  const Json events = trace_events(example());
  std::set<std::string> processes;
  for (const Json& e : events)
    if (e["name"] == "process_name") processes.insert(e["args"]["name"].get<std::string>());
  EXPECT_EQ(processes, (std::set<std::string>{"rank 0", "rank 1"}));
  const auto names = threads(events);
  std::map<std::string, std::set<std::string>> where;  // mode and phase to thread
  for (const Json& e : events)
    if (e["ph"] == "X")
      where[e["cat"].get<std::string>() + " " + e["name"].get<std::string>()].insert(
          names.at(e["pid"].dump() + "." + e["tid"].dump()));
  using Names = std::set<std::string>;
  EXPECT_EQ(where.at("vector mpi"), Names{"MPI (main thread)"});
  EXPECT_EQ(where.at("task mpi"), Names{"MPI (communication thread)"});
  EXPECT_EQ(where.at("task d2h"), Names{"copy D2H"});
  EXPECT_EQ(where.at("task h2d"), Names{"copy H2D"});
  EXPECT_EQ(where.at("task gather"), Names{"kernels (gather)"});
  for (const char* kernel : {"vector merged", "task interior", "task boundary"})
    EXPECT_EQ(where.at(kernel), Names{"kernels"}) << kernel;
  EXPECT_EQ(where.at("task task"), Names{"mode"});
}

TEST(Trace, NothingOverlapsInOneThreadAndModesAreApart) {
  const Json events = trace_events(example());
  std::map<std::string, double> end_of;                   // of a thread
  std::map<std::string, std::pair<double, double>> span;  // of a mode
  for (const Json& e : events) {
    if (e["ph"] != "X") continue;
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    double& last = end_of[e["pid"].dump() + "." + e["tid"].dump()];
    EXPECT_GE(begin, last - 1e-9) << e.dump();
    last = end;
    auto& [first, final] = span.try_emplace(e["cat"], begin, end).first->second;
    first = std::min(first, begin);
    final = std::max(final, end);
  }
  EXPECT_NEAR(span.at("vector").second, 20, 1e-9);
  EXPECT_GT(span.at("task").first, span.at("vector").second);
}

TEST(Trace, AModeSaysItsLayout) {
  std::map<std::string, std::string> layouts;
  for (const Json& e : trace_events(example()))
    if (e["ph"] == "X" && e["name"] == e["cat"]) layouts[e["cat"]] = e["args"]["layout"];
  EXPECT_EQ(layouts, (std::map<std::string, std::string>{{"vector", "merged"}, {"task", "parted"}}));
}

TEST(Trace, ArrowsFollowTheHalo) {
  std::map<int, std::string> kinds;
  std::map<int, double> at;
  for (const Json& e : trace_events(example())) {
    if (e["name"] != "halo") continue;
    EXPECT_GE(e["ts"].get<double>(), at[e["id"]]);
    at[e["id"]] = e["ts"];
    kinds[e["id"]] += e["ph"].get<std::string>();
  }
  ASSERT_EQ(kinds.size(), 4u) << "two modes, two ranks";
  for (const auto& [id, text] : kinds) EXPECT_EQ(text, "stttf") << "flow " << id;
}

TEST(Trace, ARankWithoutPhasesAndARunWithoutModes) {
  RunReport report = example();
  report.modes[0].timeline[1].clear();
  EXPECT_FALSE(trace_events(report).empty());
  report.modes.clear();
  EXPECT_TRUE(trace_events(report).empty());
  const Json whole = Json::parse(to_trace(report));
  EXPECT_TRUE(whole["traceEvents"].is_array());
  EXPECT_TRUE(whole.contains("otherData"));
}

}  // namespace
}  // namespace spmv::test
