// Which formats and options are candidates.
#include "kernels/tune/candidates.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/block_battery.hpp"

namespace spmv::test {
namespace {

// What unsorted slices of unlike rows cost on a host is in no prediction; and what sorting diagonals costs anywhere.
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
  EXPECT_EQ(windows(unlike, true).count(1), 0u) << "what is no candidate has nothing to teach";
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

}  // namespace
}  // namespace spmv::test
