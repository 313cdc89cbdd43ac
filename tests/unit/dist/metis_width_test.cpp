#include "dist/partition/metis_width.hpp"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// A METIS_SetDefaultOptions; some versions set zeros.
template <class T>
auto sets(int count, T value) {
  return [=](void* options) { std::fill_n(static_cast<T*>(options), count, value); };
}

TEST(MetisWidth, IsSeenByWhatIsWritten) {
  for (const int value : {-1, 0}) {
    EXPECT_EQ(metis_width(sets<std::int32_t>(40, value)), 4);
    EXPECT_EQ(metis_width(sets<std::int64_t>(40, value)), 8);
  }
}

TEST(MetisWidth, OfSomethingElseIsUnknown) {
  EXPECT_EQ(metis_width(sets<std::int32_t>(0, -1)), 0);
  EXPECT_EQ(metis_width(sets<std::int32_t>(24, -1)), 0);
  EXPECT_EQ(metis_width(sets<std::int16_t>(40, -1)), 0);
}

}  // namespace
}  // namespace spmv::test
