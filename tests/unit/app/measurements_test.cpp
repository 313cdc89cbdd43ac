#include "app/run/measurements.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

using Layouts = std::vector<std::string>;
using Lines = std::vector<std::string>;

RunOptions options(std::vector<std::string> modes, std::vector<std::string> transports) {
  RunOptions o;
  o.modes = std::move(modes);
  o.transports = std::move(transports);
  return o;
}

/// One line per measurement: layout, mode, transport, slot; "optional" if it may be left out.
Lines lines(const Measurements& measurements) {
  Lines text;
  for (const Measurement& m : measurements)
    text.push_back(std::string(m.layout) + " " + m.mode + " " + m.transport + " " + std::to_string(m.row) +
                   (m.may_be_left_out ? " optional" : ""));
  return text;
}

TEST(Measurements, OneModeOverOneTransportIsOneMeasurement) {
  EXPECT_EQ(lines(list_measurements(options({"vector"}, {"staged"}), true)),
            (Lines{"merged vector staged 0"}));
}

TEST(Measurements, LayoutByLayoutThenModeByModeThenTransportByTransport) {
  const Lines expected = {"merged vector auto 0 optional", "merged vector shm 1 optional",
                          "merged task auto 4 optional",   "merged task shm 5 optional",
                          "split naive auto 2 optional",   "split naive shm 3 optional",
                          "split task auto 4 optional",    "split task shm 5 optional",
                          "parted task auto 4 optional",   "parted task shm 5 optional"};
  EXPECT_EQ(lines(list_measurements(options({"vector", "naive", "task"}, {"auto", "shm"}), true)), expected);
}

TEST(Measurements, TheLayoutNamedIsTakenWhereTheModeHasIt) {
  RunOptions o = options({"vector", "task"}, {"staged"});
  o.layout = "parted";
  EXPECT_EQ(lines(list_measurements(o, true)), (Lines{"merged vector staged 0", "parted task staged 1"}));
}

TEST(Measurements, WithoutHaloEveryModeHasItsStandardLayout) {
  EXPECT_EQ(lines(list_measurements(options({"vector", "task"}, {"staged"}), false)),
            (Lines{"merged vector staged 0", "split task staged 1"}));
}

TEST(Measurements, OfAllModesThoseThatNeedAQueuedExchangeMayBeLeftOut) {
  RunOptions o = options({"vector", "device"}, {"staged"});
  EXPECT_EQ(lines(list_measurements(o, true)),
            (Lines{"merged vector staged 0", "merged device staged 1", "parted device staged 1"}))
      << "the user named the mode";
  o.all_modes = true;
  EXPECT_EQ(lines(list_measurements(o, true)),
            (Lines{"merged vector staged 0", "merged device staged 1 optional",
                   "parted device staged 1 optional"}));
}

TEST(Measurements, ALayoutIsNeededWhereAModeHasNoOther) {
  Measurements measurements = list_measurements(options({"vector", "task"}, {"staged"}), true);
  EXPECT_EQ(layouts_of(measurements), (Layouts{"merged", "split", "parted"}));
  EXPECT_FALSE(can_do_without(measurements, "merged")) << "vector has no other layout";
  EXPECT_TRUE(can_do_without(measurements, "split"));
  measurements = without(measurements, "split");
  EXPECT_EQ(layouts_of(measurements), (Layouts{"merged", "parted"}));
  EXPECT_TRUE(can_do_without(measurements, "parted"));
  measurements = without(measurements, "merged");
  EXPECT_FALSE(can_do_without(measurements, "parted")) << "task would have no layout left";
}

}  // namespace
}  // namespace spmv::test
