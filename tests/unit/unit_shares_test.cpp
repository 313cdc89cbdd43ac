#include "kernels/parts/unit_shares.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

// Fewer units than warps, whole rounds, rounds that are not full, with and without warps that put; a unit that nobody
// multiplies, or two, is a wrong row on a GPU.
TEST(UnitShares, EveryUnitIsMultipliedOnce) {
  for (const lidx put : {0, 1, 8, 25})
    for (const lidx others : {1, 8, 64, 103})
      for (const lidx units : {0, 1, 7, 63, 128, 129, 500, 1000, 2048, 4097}) {
        SCOPED_TRACE(testing::Message() << put << ", " << others << ", " << units);
        const UnitShares shares(units, put, others);
        std::vector<int> times(static_cast<std::size_t>(units), 0);
        for (lidx warp = 0; warp < put + others; ++warp)
          for (lidx unit = shares.first(warp); unit < units; unit = shares.next(unit))
            ++times[static_cast<std::size_t>(unit)];
        EXPECT_EQ(times, std::vector<int>(times.size(), 1));
      }
}

// What puts has time for half of the rounds only; a last round that is not full is one without the last warps.
TEST(UnitShares, PutWarpsComeInLateAndTheLastWarpsHaveLeast) {
  const auto count = [](lidx units, lidx warp) {
    const UnitShares shares(units, 4, 12);
    int taken = 0;
    for (lidx unit = shares.first(warp); unit < units; unit = shares.next(unit)) ++taken;
    return taken;
  };
  constexpr lidx four_rounds = 2 * 12 + 2 * 16;
  EXPECT_EQ(count(four_rounds, 0), 2);
  EXPECT_EQ(count(four_rounds, 4), 4);
  EXPECT_EQ(count(four_rounds, 15), 4);
  EXPECT_EQ(count(four_rounds - 3, 0), 2);
  EXPECT_EQ(count(four_rounds - 3, 12), 4);
  EXPECT_EQ(count(four_rounds - 3, 13), 3);
}

}  // namespace
}  // namespace spmv::test
