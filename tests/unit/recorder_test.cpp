#include "app/run/recorder.hpp"

#include <gtest/gtest.h>

#include "dist/modes.hpp"

namespace spmv::test {
namespace {

TEST(Layouts, EveryOneHasItsRow) {
  for (const Layout layout : {Layout::merged, Layout::split, Layout::parted}) {
    std::vector<std::string> found;
    for (const NamedLayout<double>& row : layouts())
      if (row.layout == layout) found.emplace_back(row.name);
    EXPECT_EQ(found, std::vector<std::string>{to_string(layout)});
  }
}

ModeResult result(Layout layout, double median_s, gidx rows_wrong = 0) {
  ModeResult r;
  r.mode = "task";
  r.layout = layout;
  r.median_s = median_s;
  r.rows_wrong = rows_wrong;
  r.overlap.limit = to_string(layout);
  r.timeline = {{{Phase::interior, 0, median_s}}};
  return r;
}

/// That of `layout` is kept, whole, and the other one is told beside it.
void expect_kept(const ModeResult& kept, Layout layout, double median_s, const OtherLayout& other) {
  EXPECT_EQ(kept.layout, layout);
  EXPECT_EQ(kept.median_s, median_s);
  EXPECT_EQ(kept.overlap.limit, to_string(layout));
  EXPECT_EQ(kept.timeline.at(0).at(0).end, median_s);
  ASSERT_EQ(kept.other_layouts.size(), 1u);
  EXPECT_EQ(kept.other_layouts[0].layout, other.layout);
  EXPECT_EQ(kept.other_layouts[0].median_s, other.median_s);
  EXPECT_EQ(kept.other_layouts[0].rows_wrong, other.rows_wrong);
}

TEST(FasterLayout, TheFasterIsKept) {
  expect_kept(faster_layout(result(Layout::split, 2), result(Layout::parted, 3)), Layout::split, 2,
              {Layout::parted, 3, 0});
  expect_kept(faster_layout(result(Layout::split, 3), result(Layout::parted, 2)), Layout::parted, 2,
              {Layout::split, 3, 0});
  expect_kept(faster_layout(result(Layout::split, 2), result(Layout::parted, 2)), Layout::split, 2,
              {Layout::parted, 2, 0});
}

TEST(FasterLayout, AWrongOneHidesBehindNoFasterOne) {
  expect_kept(faster_layout(result(Layout::split, 3, 1), result(Layout::parted, 2)), Layout::split, 3,
              {Layout::parted, 2, 0});
  expect_kept(faster_layout(result(Layout::split, 2), result(Layout::parted, 3, 1)), Layout::parted, 3,
              {Layout::split, 2, 0});
  expect_kept(faster_layout(result(Layout::split, 3, 7), result(Layout::parted, 2, 5)), Layout::parted, 2,
              {Layout::split, 3, 7});
}

TEST(FasterLayout, OfThreeAllOthersAreTold) {
  const ModeResult two = faster_layout(result(Layout::split, 3), result(Layout::parted, 2));
  const ModeResult slower = faster_layout(two, result(Layout::merged, 4));
  EXPECT_EQ(slower.layout, Layout::parted);
  ASSERT_EQ(slower.other_layouts.size(), 2u);
  EXPECT_EQ(slower.other_layouts[0].layout, Layout::split);
  EXPECT_EQ(slower.other_layouts[1].layout, Layout::merged);
  const ModeResult faster = faster_layout(two, result(Layout::merged, 1));
  EXPECT_EQ(faster.layout, Layout::merged);
  ASSERT_EQ(faster.other_layouts.size(), 2u);
  EXPECT_EQ(faster.other_layouts[1].layout, Layout::parted);
}

}  // namespace
}  // namespace spmv::test
