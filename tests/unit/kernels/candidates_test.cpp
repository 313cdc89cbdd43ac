// Which formats and options become candidates.
#include "kernels/tune/candidates.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/format.hpp"
#include "support/block_battery.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

Pattern band(lidx rows) {
  return diagonal_pattern("band", rows, rows + 100, {0, 49, 50, 51, 100});
}

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

TEST(Candidates, NeverIncludeWhatCannotRun) {
  const Csr<double> block = make_block<double>(band(500));
  const auto backend = make_host_backend({});
  for (const bool on_host : {true, false}) {
    const auto candidates = make_candidates<double>(analyze(block), {}, *backend, Device{on_host, 1e12, 4});
    ASSERT_FALSE(candidates.empty());
    EXPECT_EQ(candidates[0].format, "csr");
    std::set<std::string> formats_seen;
    for (const Candidate& c : candidates) {
      formats_seen.insert(c.format);
      EXPECT_EQ(c.format.find("cusparse"), std::string::npos);
      EXPECT_GT(c.predicted.seconds, 0);
      EXPECT_LE(c.predicted.at_least, c.predicted.seconds * 1.0001) << c.format;
    }
    EXPECT_GE(formats_seen.size(), 5u);
  }
}

TEST(Candidates, SumsCostAKernelInFormatsThatCannotSum) {
  const Analysis analysis = analyze(make_block<double>(band(100'000)));
  const auto backend = make_host_backend({});
  const Device gpu{false, 1e12, 4};
  const double kernel_s = seconds_of_sums(analysis, gpu);
  EXPECT_GT(kernel_s, 0);
  const auto plain = make_candidates<double>(analysis, {}, *backend, gpu);
  CandidateRequest request;
  request.sums = true;
  for (const Candidate& c : make_candidates<double>(analysis, request, *backend, gpu)) {
    const auto same_candidate = std::find_if(plain.begin(), plain.end(), [&](const Candidate& p) {
      return p.format == c.format && same(p.options, c.options);
    });
    ASSERT_NE(same_candidate, plain.end());
    const double more_s = pick(formats<double>(), c.format, "format").sums ? 0 : kernel_s;
    EXPECT_DOUBLE_EQ(c.predicted.seconds, same_candidate->predicted.seconds + more_s) << c.format;
    EXPECT_DOUBLE_EQ(c.predicted.at_least, same_candidate->predicted.at_least + more_s) << c.format;
  }
}

TEST(Candidates, ColumnsCountTheMatrixOnceWhereItIsReadOnce) {
  constexpr int k = 8;
  const Analysis analysis = analyze(make_block<double>(band(100'000)));
  const auto backend = make_host_backend({});
  for (const bool on_host : {true, false}) {
    const Device device{on_host, 1e12, 4};
    for (const FormatModel& model : format_models()) {
      const Format<double>& format = pick(formats<double>(), model.name, "format");
      if (!why_unusable(format, *backend).empty()) continue;
      SCOPED_TRACE(model.name);
      const Cost one = model.cost(analysis, {});
      const Cost all = for_columns(one, k, format.columns, analysis);
      const double vectors = vector_bytes(analysis), matrix = one.moved_bytes - vectors;
      EXPECT_NEAR(all.moved_bytes, (format.columns ? matrix : k * matrix) + k * vectors,
                  1e-6 * all.moved_bytes);
      const Prediction p1 = predict(model.name, one, {}, analysis, device);
      const Prediction pk = for_columns(p1, k, format.columns, analysis, device);
      EXPECT_LE(pk.at_least, pk.seconds);
      EXPECT_GT(pk.seconds, p1.seconds);
      EXPECT_GT(pk.at_least, p1.at_least);
      if (!format.columns) {
        EXPECT_GT(pk.seconds, k * p1.seconds) << "columns are copied";
      }
      EXPECT_EQ(for_columns(p1, 1, format.columns, analysis, device).seconds, p1.seconds);
    }
    CandidateRequest request;
    request.columns = k;
    for (const Candidate& c : make_candidates<double>(analysis, request, *backend, device)) {
      const bool together = pick(formats<double>(), c.format, "format").columns;
      const Cost one = cost_of(c.format, analysis, c.options);
      EXPECT_EQ(c.cost.moved_bytes, for_columns(one, k, together, analysis).moved_bytes) << c.format;
      const Prediction p1 = predict(c.format, one, c.options, analysis, device);
      EXPECT_EQ(c.predicted.seconds, for_columns(p1, k, together, analysis, device).seconds) << c.format;
    }
  }
}

TEST(Candidates, WideFormatsAreNoneForSkewedRows) {
  const auto backend = make_host_backend({});
  for (const Candidate& c :
       make_candidates<double>(analyze(make_block<double>(random_pattern(
                                   "one long row", 5000, 5000, [](lidx i) { return i == 17 ? 4999 : 1; }))),
                               {}, *backend, Device{true, 1e10, 2})) {
    EXPECT_NE(c.format, "ellpack");
    EXPECT_NE(c.format, "pellr");
  }
}

TEST(Candidates, PackedFormatsWhereTheySaveBytesOrAreHintedAt) {
  const auto backend = make_host_backend({});
  const auto seen = [&](const Csr<double>& block, const std::string& hint) {
    std::set<std::string> names;
    for (const Candidate& c :
         make_candidates<double>(analyze(block), {{}, {}, hint}, *backend, Device{true, 1e10, 2}))
      names.insert(c.format);
    return names;
  };
  Csr<double> block = make_block<double>(random_pattern("", 4000, 300'000, [](lidx) { return 9; }));
  for (std::size_t k = 0; k < block.value.size(); ++k) block.value[k] = 1 / (1.0 + static_cast<double>(k));
  EXPECT_EQ(seen(block, "").count("csr_packed") + seen(block, "").count("sell_packed"), 0u);
  EXPECT_EQ(seen(block, "graph").count("csr_packed"), 1u);
  CandidateRequest request;
  request.calibrates = true;
  const auto all = make_candidates<double>(analyze(block), request, *backend, Device{true, 1e10, 2});
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.format == "csr_packed"; }));
  EXPECT_EQ(seen(block, "banded").count("sell_packed"), 1u);
  std::fill(block.value.begin(), block.value.end(), 7);
  EXPECT_EQ(seen(block, "").count("csr_packed") + seen(block, "").count("sell_packed"), 2u);
}

TEST(Candidates, HintedFormatsComeFirst) {
  const Analysis analysis = analyze(make_block<double>(band(500)));
  const auto backend = make_host_backend({});
  for (const Hint& hint : hints()) {
    const auto candidates =
        make_candidates<double>(analysis, {{}, {}, hint.name}, *backend, Device{false, 1e12, 4});
    EXPECT_EQ(candidates[0].format, "csr");
    EXPECT_TRUE(candidates[1].hinted) << hint.name << ": " << candidates[1].format;
    for (const std::string& format : hint.formats)  // the table must name existing formats
      EXPECT_TRUE(std::any_of(formats<double>().begin(), formats<double>().end(), [&](const auto& row) {
        return format == row.name;
      })) << format;
  }
  const Error error = error_of([&] {
    make_candidates<double>(analysis, {{}, {}, "soup"}, *backend, Device{true, 1e9, 1});
  });
  EXPECT_EQ(error.code(), ExitCode::usage);
}

}  // namespace
}  // namespace spmv::test
