#include "app/run/recorder.hpp"

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/modes.hpp"

namespace spmv::test {
namespace {

TEST(Layouts, ThoseOfEveryModeHaveARow) {
  for (const Mode<double>& mode : modes<double>()) {
    EXPECT_FALSE(mode.layouts.empty()) << mode.name;
    for (const std::string& layout : mode.layouts)
      EXPECT_EQ(pick(layouts(), layout, "layout").name, layout) << mode.name;
  }
}

ModeResult result(const std::string& layout, double median_s, gidx rows_wrong = 0) {
  ModeResult r;
  r.mode = "task";
  r.layout = layout;
  r.median_s = median_s;
  r.median_low_s = median_s - 0.5;
  r.median_high_s = median_s + 0.25;
  r.rows_wrong = rows_wrong;
  r.overlap.limit = layout;
  r.timeline = {{{Phase::interior, 0, median_s}}};
  return r;
}

/// The result of `layout` must be kept, and the other layout's time listed beside it.
void expect_kept(const ModeResult& kept, const std::string& layout, double median_s,
                 const OtherLayout& other) {
  EXPECT_EQ(kept.layout, layout);
  EXPECT_EQ(kept.median_s, median_s);
  EXPECT_EQ(kept.overlap.limit, layout);
  EXPECT_EQ(kept.timeline.at(0).at(0).end, median_s);
  ASSERT_EQ(kept.other_layouts.size(), 1u);
  EXPECT_EQ(kept.other_layouts[0].layout, other.layout);
  EXPECT_EQ(kept.other_layouts[0].median_s, other.median_s);
  EXPECT_EQ(kept.other_layouts[0].rows_wrong, other.rows_wrong);
  EXPECT_EQ(kept.other_layouts[0].median_low_s, other.median_s - 0.5);
  EXPECT_EQ(kept.other_layouts[0].median_high_s, other.median_s + 0.25);
}

TEST(FasterLayout, TheFasterIsKept) {
  expect_kept(faster_layout(result("split", 2), result("parted", 3)), "split", 2, {"parted", 3, 0});
  expect_kept(faster_layout(result("split", 3), result("parted", 2)), "parted", 2, {"split", 3, 0});
  expect_kept(faster_layout(result("split", 2), result("parted", 2)), "split", 2, {"parted", 2, 0});
}

TEST(FasterLayout, AWrongOneHidesBehindNoFasterOne) {
  expect_kept(faster_layout(result("split", 3, 1), result("parted", 2)), "split", 3, {"parted", 2, 0});
  expect_kept(faster_layout(result("split", 2), result("parted", 3, 1)), "parted", 3, {"split", 2, 0});
  expect_kept(faster_layout(result("split", 3, 7), result("parted", 2, 5)), "parted", 2, {"split", 3, 7});
}

TEST(FasterLayout, OfThreeAllOthersAreTold) {
  const ModeResult two = faster_layout(result("split", 3), result("parted", 2));
  const ModeResult slower = faster_layout(two, result("merged", 4));
  EXPECT_EQ(slower.layout, "parted");
  ASSERT_EQ(slower.other_layouts.size(), 2u);
  EXPECT_EQ(slower.other_layouts[0].layout, "split");
  EXPECT_EQ(slower.other_layouts[1].layout, "merged");
  const ModeResult faster = faster_layout(two, result("merged", 1));
  EXPECT_EQ(faster.layout, "merged");
  ASSERT_EQ(faster.other_layouts.size(), 2u);
  EXPECT_EQ(faster.other_layouts[1].layout, "parted");
}

}  // namespace
}  // namespace spmv::test
