#include "app/report/pictures.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Pictures, ClassesOfRowLengthsAreFewAndHoldEveryLength) {
  for (const auto& [shortest, longest] : std::vector<std::pair<gidx, gidx>>{
           {0, 0}, {5, 5}, {0, 63}, {0, 64}, {3, 70}, {1, 100}, {0, 12345}, {7, 2000000000}, {1000, 1100}}) {
    const std::vector<RowLengthClass> classes = row_length_classes(shortest, longest);
    ASSERT_FALSE(classes.empty());
    EXPECT_LE(classes.size(), static_cast<std::size_t>(Pictures::most_cells)) << longest;
    EXPECT_EQ(classes.front().from, shortest);
    EXPECT_EQ(classes.back().to, longest);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      EXPECT_LE(classes[i].from, classes[i].to);
      if (i > 0) {
        EXPECT_EQ(classes[i].from, classes[i - 1].to + 1);
      }
    }
  }
}

}  // namespace
}  // namespace spmv::test
