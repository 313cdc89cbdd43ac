#include "kernels/parts/unit_shares.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// The units of warp number `warp` of `send` and others, those that send first.
std::vector<lidx> units_of(const UnitShares& shares, lidx units, lidx send, lidx warp) {
  std::vector<lidx> own;
  for (lidx unit = warp < send ? shares.first_of_senders(warp) : shares.first_of_others(warp - send);
       unit < units; unit = shares.next(unit))
    own.push_back(unit);
  return own;
}

// Fewer units than warps, whole rounds, rounds that are not full, with and without warps that send; a unit that nobody
// multiplies, or two, is a wrong row on a GPU.
TEST(UnitShares, EveryUnitIsMultipliedOnce) {
  for (const lidx send : {0, 1, 8, 25})
    for (const lidx others : {1, 8, 64, 103})
      for (const lidx units : {0, 1, 7, 63, 128, 129, 500, 1000, 2048, 4097}) {
        SCOPED_TRACE(testing::Message() << send << ", " << others << ", " << units);
        const UnitShares shares(units, send, others);
        std::vector<int> times(static_cast<std::size_t>(units), 0);
        for (lidx warp = 0; warp < send + others; ++warp)
          for (const lidx unit : units_of(shares, units, send, warp)) ++times[static_cast<std::size_t>(unit)];
        EXPECT_EQ(times, std::vector<int>(times.size(), 1));
      }
}

// What sends has time for half of the rounds only; a last round that is not full is one without the last warps.
TEST(UnitShares, PutWarpsComeInLateAndTheLastWarpsHaveLeast) {
  const auto count = [](lidx units, lidx warp) {
    return units_of(UnitShares(units, 4, 12), units, 4, warp).size();
  };
  constexpr lidx four_rounds = 2 * 12 + 2 * 16;
  EXPECT_EQ(count(four_rounds, 0), 2U);
  EXPECT_EQ(count(four_rounds, 4), 4U);
  EXPECT_EQ(count(four_rounds, 15), 4U);
  EXPECT_EQ(count(four_rounds - 3, 0), 2U);
  EXPECT_EQ(count(four_rounds - 3, 12), 4U);
  EXPECT_EQ(count(four_rounds - 3, 13), 3U);
}

}  // namespace
}  // namespace spmv::test
