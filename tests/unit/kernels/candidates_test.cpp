// Which formats and options become candidates.
#include "kernels/tune/candidates.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/block_battery.hpp"

namespace spmv::test {
namespace {

// Predictions lack the cost of unsorted slices of different row lengths on a host, and of sorting diagonals
// anywhere. So those are no candidates.
TEST(Candidates, HostsSortSlicesWhereSortingHelpsAndNobodySortsDiagonals) {
  const auto backend = make_host_backend({});
  const Pattern short_lines = grid_pattern("short lines", 10, 200);
  CandidateRequest request;
  const auto windows = [&](const Pattern& pattern, bool on_host, const std::string& format = "sell") {
    std::set<int> sigmas;
    for (const Candidate& c : make_candidates<double>(analyze(make_block<double>(pattern)), request, *backend,
                                                      Device{on_host, 1e10, 2}))
      if (c.format == format) sigmas.insert(c.options.sigma);
    return sigmas;
  };
  EXPECT_GT(windows(short_lines, false).size(), 1u);
  for (const bool on_host : {true, false})
    EXPECT_EQ(windows(short_lines, on_host, "sell_packed"), std::set<int>{1});
  const Pattern alike = random_pattern("", 4000, 4000, [](lidx) { return 9; });
  const Pattern unlike = random_pattern("", 4000, 4000, [](lidx i) { return 1 + i % 7; });
  for (const bool on_host : {true, false}) EXPECT_EQ(windows(alike, on_host).count(1), 1u);
  EXPECT_EQ(windows(unlike, true).count(1), 0u);
  EXPECT_EQ(windows(unlike, true).count(1024), 1u);
  EXPECT_EQ(windows(unlike, false).count(1), 1u);
  EXPECT_EQ(windows(unlike, true, "sell_packed").count(1), 0u);
  request.calibrates = true;
  EXPECT_EQ(windows(unlike, true).count(1), 0u) << "only candidates need calibration";
  EXPECT_EQ(windows(unlike, false).count(1), 1u);
}

TEST(Candidates, OfHostsAndOfGpus) {
  const auto backend = make_host_backend({});
  const Analysis analysis =
      analyze(make_block<double>(random_pattern("", 4000, 4000, [](lidx) { return 9; })));
  const auto names = [&](bool on_host) {
    std::set<std::string> names;
    for (const Candidate& c : make_candidates<double>(analysis, {}, *backend, Device{on_host, 1e10, 2}))
      names.insert(c.format);
    return names;
  };
  for (const char* name : {"jad", "bijad"}) {
    EXPECT_EQ(names(true).count(name), 1u) << name;
    EXPECT_EQ(names(false).count(name), 0u) << name;
  }
  for (const char* name : {"ellpack", "csr_vector"}) {
    EXPECT_EQ(names(true).count(name), 0u) << name;
    EXPECT_EQ(names(false).count(name), 1u) << name;
  }
}

// Costs and paces together, on different kinds of blocks: an error in either changes the choice.
TEST(Candidates, FastestByTheBuiltInPaces) {
  const auto backend = make_host_backend({});
  const auto fastest = [&](const Pattern& pattern, const Device& device) {
    const auto all = make_candidates<double>(analyze(make_block<double>(pattern)), {}, *backend, device);
    return std::min_element(all.begin(), all.end(),
                            [](const Candidate& a, const Candidate& b) {
                              return a.predicted.seconds < b.predicted.seconds;
                            })
        ->format;
  };
  const Device host{true, 1e10, 8}, gpu{false, 3e12, 8};
  const Pattern mixed = random_pattern("", 6000, 6000, [](lidx i) { return 1 + i % 37; });
  const Pattern skewed = random_pattern("", 5000, 5000, [](lidx i) { return i % 500 == 0 ? 900 : 3; });
  const Pattern band = diagonal_pattern("", 20'000, 20'004, {0, 1, 2, 4});
  const Pattern blocks = block_pattern("", 9000, 3, false);
  EXPECT_EQ(fastest(mixed, host), "csr_packed");
  EXPECT_EQ(fastest(mixed, gpu), "csr_vector");
  EXPECT_EQ(fastest(skewed, host), "sell_packed");
  EXPECT_EQ(fastest(skewed, gpu), "csr_packed");
  EXPECT_EQ(fastest(band, host), "sell_packed");
  EXPECT_EQ(fastest(band, gpu), "csr_vector");
  EXPECT_EQ(fastest(blocks, host), "sell_blocked");
  EXPECT_EQ(fastest(blocks, gpu), "csr_vector");
}

}  // namespace
}  // namespace spmv::test
