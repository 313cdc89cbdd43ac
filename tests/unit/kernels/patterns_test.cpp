// Slices that share few patterns, and the groups in which they are multiplied.
#include "kernels/packed/patterns.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/value_type.hpp"
#include "kernels/packed/build.hpp"

namespace spmv::test {
namespace {

/// A 7-point stencil on n x n x n points.
template <class T>
Csr<T> stencil(lidx n) {
  Csr<T> block;
  block.rows = block.cols = n * n * n;
  for (lidx row = 0; row < block.rows; ++row) {
    const lidx x = row % n, y = row / n % n, z = row / n / n;
    const auto add = [&](bool inside, lidx col, double value) {
      if (!inside) return;
      block.col.push_back(col);
      block.value.push_back(T(static_cast<RealOf<T>>(value)));
    };
    add(z > 0, row - n * n, -1);
    add(y > 0, row - n, -1);
    add(x > 0, row - 1, -1);
    add(true, row, 6);
    add(x < n - 1, row + 1, -1);
    add(y < n - 1, row + n, -1);
    add(z < n - 1, row + n * n, -1);
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

/// A 27-point stencil, in which some rows may lack the point on the next line.
Csr<double> box(lidx n, bool with_gaps = false) {
  Csr<double> block;
  block.rows = block.cols = n * n * n;
  const auto inside = [n](lidx i) { return i >= 0 && i < n; };
  for (lidx row = 0; row < block.rows; ++row) {
    for (lidx z = row / n / n - 1; z < row / n / n + 2; ++z)
      for (lidx y = row / n % n - 1; y < row / n % n + 2; ++y)
        for (lidx x = row % n - 1; x < row % n + 2; ++x)
          if (inside(x) && inside(y) && inside(z)) {
            const lidx col = (z * n + y) * n + x;
            if (with_gaps && col == row + n && row % slice_rows == 5) continue;
            block.col.push_back(col);
            block.value.push_back(block.col.back() == row ? 26 : -1);
          }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

template <class T>
struct Sliced {
  std::vector<Slice> slices;
  std::vector<Head<T>> heads;
};
template <class T>
Sliced<T> sliced(const Csr<T>& block) {
  const Packed<T> packed = pack_block(block, {}, {.least_grouped = 1}, make_host_backend(DeviceRequest{}));
  std::size_t heads = 0;
  for (const Slice& slice : packed.slices) heads += static_cast<std::size_t>(slice.width());
  return {packed.slices, {packed.view.head, packed.view.head + heads}};
}

constexpr std::size_t plenty = 1000;

/// Fails unless the slices of a chain are a stride apart, and its triples are diagonals a stride apart with the same lanes.
template <class T>
void expect_right_chain(const SliceGroup& group, const std::vector<Head<T>>& heads) {
  if (group.triples() == 0) return;
  const lidx stride = group.slice[1] - group.slice[0];
  EXPECT_GT(stride, 0);
  for (int i = 1; i < most_slices_of_group; ++i) {
    if (i < least_slices_of_chain || group.slice[i] != SliceGroup::none) {
      EXPECT_EQ(group.slice[i] - group.slice[i - 1], stride);
    }
  }
  ASSERT_LE(3 * group.triples(), group.width());
  for (lidx t = 0; t < group.triples(); ++t) {
    const Head<T>* const triple = &heads[group.head_at + 3 * static_cast<std::size_t>(t)];
    for (int d = 1; d < 3; ++d) {
      EXPECT_EQ(triple[d].base - triple[d - 1].base, stride * slice_rows);
      EXPECT_EQ(triple[d].lanes, triple[0].lanes);
    }
  }
}

/// Fails unless every slice is either in one group, whose heads are the slice's own shifted by its first row,
/// or among the others.
template <class T>
void expect_right_groups(const Sliced<T>& all, const Patterns<T>& patterns) {
  constexpr std::uint32_t all_lanes = 0xffffffffu;
  std::set<lidx> seen;
  lidx last_first = -1;
  for (const SliceGroup& group : patterns.group) {
    EXPECT_GT(group.slice[0], last_first) << "groups must be sorted by their first slices";
    last_first = group.slice[0];
    bool whole = true;
    expect_right_chain(group, patterns.head);
    std::vector<Head<T>> shared_heads(patterns.head.begin() + group.head_at,
                                      patterns.head.begin() + group.head_at + group.width());
    std::sort(shared_heads.begin(), shared_heads.end(),
              [](const Head<T>& a, const Head<T>& b) { return a.base < b.base; });
    for (const lidx s : group.slice) {
      if (s == SliceGroup::none) {
        whole = false;
        continue;
      }
      EXPECT_TRUE(seen.insert(s).second) << "slice " << s << " is in two groups";
      ASSERT_EQ(group.width(), all.slices[static_cast<std::size_t>(s)].width());
      for (lidx j = 0; j < group.width(); ++j) {
        const Head<T>& own =
            all.heads[all.slices[static_cast<std::size_t>(s)].head_at + static_cast<std::size_t>(j)];
        const Head<T>& shared = shared_heads[static_cast<std::size_t>(j)];
        EXPECT_EQ(shared.base + s * slice_rows, own.base);
        EXPECT_EQ(shared.lanes, own.lanes);
        EXPECT_EQ(std::memcmp(&shared.value, &own.value, sizeof(T)), 0);
        whole = whole && own.lanes == all_lanes;
      }
    }
    EXPECT_EQ(group.is_whole(), whole);
  }
  EXPECT_TRUE(std::is_sorted(patterns.other.begin(), patterns.other.end()));
  for (const lidx s : patterns.other) EXPECT_TRUE(seen.insert(s).second) << "slice " << s << " is in a group";
  EXPECT_EQ(seen.size(), all.slices.size());
}

template <class T>
class FormatPatterns : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FormatPatterns, ValueTypes);

TYPED_TEST(FormatPatterns, SlicesOfAGridHaveFew) {
  const auto all = sliced(stencil<TypeParam>(96));  // three slices per grid line
  const auto patterns = find_patterns(all.slices, all.heads, plenty);
  expect_right_groups(all, patterns);
  std::set<std::uint32_t> kinds;
  bool some_whole = false;
  for (const SliceGroup& group : patterns.group) {
    kinds.insert(group.head_at);
    some_whole = some_whole || group.is_whole();
  }
  EXPECT_EQ(kinds.size(),
            27U);  // first, middle and last of a line; at both ends and within, of both other directions
  EXPECT_TRUE(some_whole);
  EXPECT_TRUE(patterns.other.empty());
}

TEST(FormatPatternsOf, NeighbouringLinesAreChains) {
  const auto all = sliced(box(96));
  const auto patterns = find_patterns(all.slices, all.heads, plenty);
  expect_right_groups(all, patterns);
  lidx in_chains = 0, whole = 0;
  for (const SliceGroup& group : patterns.group) {
    if (group.width() < 27 || group.triples() == 0) continue;
    EXPECT_EQ(group.triples(), 9);
    EXPECT_EQ(group.slice[1] - group.slice[0], 3) << "the next line, not the next plane";
    whole += group.is_whole() ? 1 : 0;
    for (const lidx s : group.slice) in_chains += s == SliceGroup::none ? 0 : 1;
  }
  // Lines 1 to 94 of each plane but the first and last are 23 chains of four and two lines more. Ends of lines have 27 diagonals, too.
  EXPECT_EQ(in_chains, 94 * 92 * 3);
  EXPECT_EQ(whole, 94 * 23);
}

TEST(FormatPatternsOf, TriplesAreOfTheSameLanes) {
  const auto all = sliced(box(96, true));
  const auto patterns = find_patterns(all.slices, all.heads, plenty);
  expect_right_groups(all, patterns);
  lidx most = 0;
  for (const SliceGroup& group : patterns.group) most = std::max(most, group.triples());
  EXPECT_EQ(most, 8);
}

TEST(FormatPatternsOf, FewTriplesAreNotWorthAChain) {
  const auto all = sliced(stencil<double>(96));  // three of seven diagonals
  for (const SliceGroup& group : find_patterns(all.slices, all.heads, plenty).group)
    if (group.width() == 7) {
      EXPECT_EQ(group.triples(), 0);
    }
}

TYPED_TEST(FormatPatterns, RowsThatAreLikeNoOthersLeaveTheGroupsToTheOthers) {
  Csr<TypeParam> block = stencil<TypeParam>(96);
  // In slice 7 the columns are not in the order of diagonals; in slice 11 all values differ.
  const auto first_of = [&](lidx slice) { return block.row_ptr[slice * slice_rows]; };
  for (lidx row = 7 * slice_rows; row < 8 * slice_rows; ++row)
    block.col[block.row_ptr[row + 1] - 1] = block.cols - 1 - (row * row) % 1000;
  for (offset k = first_of(11); k < first_of(12); ++k) block.value[k] = TypeParam(static_cast<float>(k));
  const auto all = sliced(block);
  const auto patterns = find_patterns(all.slices, all.heads, plenty);
  expect_right_groups(all, patterns);
  EXPECT_EQ(patterns.other, (std::vector<lidx>{7, 11}));
}

TYPED_TEST(FormatPatterns, LinesMayEndWithinSlices) {
  for (const lidx n : {lidx{5}, lidx{33}}) {  // the last slice has fewer rows
    const auto all = sliced(stencil<TypeParam>(n));
    expect_right_groups(all, find_patterns(all.slices, all.heads, std::size_t{1} << 20));
  }
}

TEST(FormatPatternsOf, BitsOfValuesAreCompared) {
  // Two slices with one diagonal each, of 0 and of -0.
  Csr<double> block;
  block.rows = block.cols = 2 * slice_rows;
  for (lidx row = 0; row < block.rows; ++row) {
    block.col.push_back(row);
    block.value.push_back(row < slice_rows ? 0.0 : -0.0);
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  const auto all = sliced(block);
  EXPECT_EQ(find_patterns(all.slices, all.heads, plenty).group.size(), 2U);
  for (double& value : block.value) value = 0.0;
  const auto alike = sliced(block);
  EXPECT_EQ(find_patterns(alike.slices, alike.heads, plenty).group.size(), 1U);
}

// Nearly all slices are the first, middle or last of a grid line, with seven heads each; these three patterns
// must be kept.
TEST(FormatPatternsOf, ThoseThatStandForMostAreTaken) {
  const auto all = sliced(stencil<double>(96));
  const std::size_t heads = find_patterns(all.slices, all.heads, plenty).head.size();
  EXPECT_TRUE(find_patterns(all.slices, all.heads, heads).other.empty());
  const auto without_one = find_patterns(all.slices, all.heads, heads - 1);
  expect_right_groups(all, without_one);
  EXPECT_EQ(without_one.other.size(), 1U) << "a corner's";
  const auto three = find_patterns(all.slices, all.heads, 21);
  expect_right_groups(all, three);
  EXPECT_EQ(three.head.size(), 21U);
  EXPECT_EQ(three.other.size(), all.slices.size() - 3 * 94 * 94);
  EXPECT_TRUE(find_patterns(all.slices, all.heads, 20).group.empty()) << "two patterns cover too few slices";
}

TEST(FormatPatternsOf, NoSlicesNoGroups) {
  EXPECT_TRUE(find_patterns<double>({}, {}, plenty).group.empty());
}

}  // namespace
}  // namespace spmv::test
