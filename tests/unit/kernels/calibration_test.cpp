#include "kernels/tune/calibration.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "kernels/tune/candidates.hpp"
#include "support/format_battery.hpp"

namespace spmv::test {
namespace {

SpeedSample sample(const Speeds& speeds, double streaming_s, double iterations, double uneven, double rows,
                   double scattered, double along_diagonals = 0) {
  SpeedSample s;
  s.load = {1e-6, streaming_s,     iterations, along_diagonals,      uneven, rows, scattered,
            1e-4, 32 * iterations, rows,       uneven > 0 ? rows : 0};
  s.product_s = product_seconds(speeds, s.load);
  s.build_s = build_seconds(speeds, s.load);
  return s;
}

std::vector<SpeedSample> samples(const Speeds& speeds) {
  return {sample(speeds, 1e-3, 1e4, 0, 1e4, 0),     sample(speeds, 1e-4, 1e3, 1e2, 2e4, 1e3),
          sample(speeds, 2e-3, 5e4, 2e4, 1e5, 1e5), sample(speeds, 5e-5, 1e3, 0, 1e2, 1e1),
          sample(speeds, 1e-2, 1e5, 0, 1e6, 0),     sample(speeds, 1e-3, 4e4, 1e3, 1e3, 3e5),
          sample(speeds, 1e-3, 9e4, 8e4, 1e4, 0),   sample(speeds, 1e-4, 1e2, 0, 1e4, 0, 5e4)};
}

TEST(Calibration, FindsTheSpeedsThatSamplesWereMadeWith) {
  const Speeds speeds{0.7, 12, 2, 5, 3, 1.5, 4, 9, 20};
  const Speeds found = fit_speeds(samples(speeds));
  EXPECT_NEAR(found.streaming, speeds.streaming, 1e-6);
  EXPECT_NEAR(found.iteration_ns, speeds.iteration_ns, 1e-5);
  EXPECT_NEAR(found.fast_ns, speeds.fast_ns, 1e-5);
  EXPECT_NEAR(found.uneven_ns, speeds.uneven_ns, 1e-5);
  EXPECT_NEAR(found.row_ns, speeds.row_ns, 1e-5);
  EXPECT_NEAR(found.scattered_ns, speeds.scattered_ns, 1e-5);
  EXPECT_NEAR(found.build_ns, speeds.build_ns, 1e-5);
  EXPECT_NEAR(found.build_row_ns, speeds.build_row_ns, 1e-5);
  EXPECT_NEAR(found.sort_ns, speeds.sort_ns, 1e-5);
}

TEST(Calibration, NothingTakesLessThanNoTime) {
  // Negative times per row are noise: the other speeds must still fit the samples as well as possible.
  const Speeds found = fit_speeds(samples({0.7, 12, 0, -0.2, 0, 4, -0.5}));
  EXPECT_EQ(found.row_ns, 0);
  EXPECT_EQ(found.build_row_ns, 0);
  EXPECT_GE(found.streaming, 0);
  EXPECT_GT(found.iteration_ns, 0);
  EXPECT_GE(found.scattered_ns, 0);
  EXPECT_GT(found.build_ns, 0);
}

TEST(Calibration, ProductsThatWaitForTheirLongestRowSayNothingOfSpeeds) {
  const Speeds speeds{0.7, 12, 2, 5, 3, 1.5, 4, 9, 20};
  std::vector<SpeedSample> some = samples(speeds);
  for (SpeedSample waiting : samples(speeds)) {
    waiting.product_s *= 20;
    waiting.chained = true;
    some.push_back(waiting);
  }
  const Speeds found = fit_speeds(some);
  EXPECT_NEAR(found.streaming, speeds.streaming, 1e-6);
  EXPECT_NEAR(found.iteration_ns, speeds.iteration_ns, 1e-5);
  EXPECT_NEAR(found.build_ns, speeds.build_ns, 1e-5);
}

TEST(Calibration, BuildsThatStartFasterThanUsualStillHaveAPace) {
  std::vector<SpeedSample> samples;
  for (const double nonzeros : {1e5, 5e5, 1e6, 1e7}) {
    SpeedSample sample;
    sample.load.build_overhead_s = 7e-3;
    sample.load.build_nonzeros = nonzeros;
    sample.build_s = 5e-3 + 2e-9 * nonzeros;
    samples.push_back(sample);
  }
  const Speeds found = fit_speeds(samples);
  EXPECT_GT(found.build_ns, 0.5);
  EXPECT_LT(found.build_ns, 4);
}

TEST(Calibration, WithoutSamplesNothingTakesTime) {
  const Speeds found = fit_speeds({});
  EXPECT_EQ(found.streaming, 0);
  EXPECT_EQ(found.iteration_ns, 0);
  EXPECT_EQ(found.build_ns, 0);
}

TEST(Calibration, PredictionsGoByItWhereThereIsOne) {
  const Csr<double> block = make_block<double>(diagonal_pattern("band", 4000, 4002, {0, 1, 2}));
  const Analysis analysis = analyze(block);
  Device device{true, 1e10, 1};
  const auto backend = make_host_backend({});
  const auto predicted = [&](const std::string& format) {
    for (const Candidate& c : make_candidates<double>(analysis, {}, *backend, device))
      if (c.format == format) return c.predicted;
    return Prediction{};
  };
  const Prediction csr = predicted("csr"), sell = predicted("sell");
  device.calibration =
      std::make_shared<const Calibration>(Calibration{{"csr", {.row_ns = 1000, .build_row_ns = 500}}});
  EXPECT_NEAR(predicted("csr").seconds, 4000 * 1000e-9, 1e-4);
  EXPECT_NEAR(predicted("csr").build_s, 4000 * 500e-9, 2e-4);
  EXPECT_EQ(predicted("csr").at_least, csr.at_least)
      << "the lower bound must not depend on calibrated speeds";
  EXPECT_EQ(predicted("sell").seconds, sell.seconds)
      << "an uncalibrated format must be predicted by its pace";
  EXPECT_TRUE(predicted("csr").calibrated);
  EXPECT_FALSE(predicted("sell").calibrated);
  device.calibration = std::make_shared<const Calibration>(Calibration{{"csr", {}}});
  EXPECT_EQ(predicted("csr").seconds, csr.at_least) << "no product is faster than its bytes";
}

// Rows of 5, 5, 2, 2, 5, 5, ... elements: every other row differs in length from the one before.
TEST(Calibration, LoadsTellIdleIterationsFromSurprisingRowsAndFromDiagonals) {
  const Analysis uneven = analyze(
      make_block<double>(random_pattern("", 40'000, 500, [](lidx i) { return i / 2 % 2 == 0 ? 5 : 2; })));
  EXPECT_EQ(uneven.changes_of_length, 19'999);
  const Analysis few = analyze(
      make_block<double>(random_pattern("", 4'000, 500, [](lidx i) { return i / 2 % 2 == 0 ? 5 : 2; })));
  const auto load = [](const char* name, const Analysis& analysis, bool on_host) {
    return load_of(name, cost_of(name, analysis), {}, analysis, {on_host, 1e10, 2});
  };
  for (const char* name : {"csr", "csr_packed", "csr_vector"})
    EXPECT_EQ(load(name, uneven, true).uneven, 19'999 / 2.0 - 1024)
        << name << ": half for each of two threads";
  EXPECT_EQ(load("csr", few, true).uneven, 0) << "the branch predictor learns so few rows";
  EXPECT_EQ(load("csr", uneven, false).uneven, 0);
  const double idle = 40'000.0 / 32 * 5 - static_cast<double>(uneven.nonzeros) / 32;
  EXPECT_NEAR(load("sell", uneven, false).uneven, idle, 5);
  EXPECT_NEAR(load("sell", uneven, true).uneven, idle / 2, 3);

  const Analysis diagonals = analyze(make_block<double>(diagonal_pattern("band", 4000, 4002, {0, 1, 2})));
  const Load packed = load("sell_packed", diagonals, true), plain = load("sell", diagonals, true);
  EXPECT_NEAR(packed.fast_iterations, 4000.0 / 32 * 3 / 2, 1);
  EXPECT_NEAR(packed.iterations, 0, 1);
  EXPECT_EQ(plain.fast_iterations, 0);
  EXPECT_NEAR(plain.iterations, packed.fast_iterations, 1);

  // Four elements of a row at once, if x is near.
  std::vector<lidx> neighbours(20);
  std::iota(neighbours.begin(), neighbours.end(), 0);
  const lidx wide = 200'000;  // elements of x, more than a core's cache holds
  const Analysis near = analyze(make_block<double>(diagonal_pattern("near", 1000, wide, neighbours)));
  const Analysis far =
      analyze(make_block<double>(random_pattern("far", 1000, wide, [](lidx) { return 20; })));
  EXPECT_NEAR(near.near_share, 1, 1e-9);
  EXPECT_LT(far.near_share, 0.01);
  for (const char* name : {"csr", "csr_vector"}) {
    EXPECT_EQ(load(name, near, true).iterations, 0);
    EXPECT_NEAR(load(name, near, true).fast_iterations, 20'000.0 / 32 / 2, 1e-9);
    EXPECT_EQ(load(name, near, false).fast_iterations, 0);
    EXPECT_EQ(load(name, far, true).fast_iterations, 0);
    EXPECT_NEAR(load(name, far, true).iterations, 20'000.0 / 32 / 2, 1);
  }
  EXPECT_EQ(load("csr_packed", near, true).fast_iterations, 0);
  const Analysis complex =
      analyze(make_block<std::complex<double>>(diagonal_pattern("near", 1000, wide, neighbours)));
  EXPECT_EQ(load_of("csr", {}, {}, complex, {true, 1e10, 2}).fast_iterations, 0);
  // Without a calibration csr's pace is used for both ways of multiplying.
  const auto predicted = [&](const Analysis& analysis) {
    return predict("csr", cost_of("csr", analysis), {}, analysis, {true, 1e15, 1}).seconds;
  };
  EXPECT_NEAR(predicted(near), predicted(far), 1e-2 * predicted(far));
  EXPECT_GT(predicted(near), 20'000.0 / 32 * 10e-9);
}

TEST(Calibration, OfAGpuCountHeadsAloneAndDifferentSectors) {
  const auto load = [](const char* name, const Csr<double>& block, bool on_host) {
    const Analysis analysis = analyze(block);
    return load_of(name, cost_of(name, analysis), {}, analysis, {on_host, 1e10, 1});
  };
  Csr<double> block = make_block<double>(diagonal_pattern("band", 4000, 4002, {0, 1, 2}));
  const double iterations = 4000.0 / 32 * 3;
  EXPECT_NEAR(load("sell_packed", block, true).fast_iterations, iterations, 1);
  EXPECT_EQ(load("sell_packed", block, false).fast_iterations, 0) << "lanes load different values";
  EXPECT_NEAR(load("sell_packed", block, false).iterations, iterations, 1);
  std::fill(block.value.begin(), block.value.end(), 3);
  EXPECT_NEAR(load("sell_packed", block, false).fast_iterations, iterations, 1);
  EXPECT_NEAR(load("sell_packed", block, false).iterations, 0, 1);
  for (lidx row = 0; row < 400; ++row) block.value[3 * row] = row;
  EXPECT_EQ(load("sell_packed", block, false).fast_iterations, 0) << "too few slices for groups";

  // The 34 neighbouring columns of each slice lie in nine sectors.
  EXPECT_NEAR(load("csr", block, false).scattered, 4000 / 32.0 * 9, 4000 / 32.0);
  // Half of x fits a host's first-level cache.
  EXPECT_NEAR(load("csr", block, true).scattered, 4000 / 32.0 * 9 * 4002 * 8 / (4002 * 8 + 32768),
              4000 / 64.0);
}

TEST(Calibration, DeviationsOfLikeBlocksAreExpectedAgain) {
  const Analysis analysis =
      analyze(make_block<double>(random_pattern("", 4000, 4000, [](lidx) { return 9; })));
  const BlockShape shape = shape_of(analysis);
  const auto moved = [&](double by) {
    BlockShape other = shape;
    other[0] += by;
    return other;
  };
  Speeds speeds{1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(deviation_of(speeds, shape), 1) << "no samples";
  speeds.deviations = {{shape, 1.5}};
  EXPECT_GT(deviation_of(speeds, shape), 1.4);
  EXPECT_LT(deviation_of(speeds, shape), 1.5) << "a single sample is not fully trusted";
  EXPECT_LT(deviation_of(speeds, moved(5)), 1.01) << "the blocks are too different";
  speeds.deviations = {{shape, 1.5}, {moved(3), 0.5}};
  EXPECT_GT(deviation_of(speeds, shape), 1.3) << "similar blocks must count for more";
  EXPECT_LT(deviation_of(speeds, moved(3)), 0.6);

  const auto predicted = [&](const Speeds& of_csr) {
    const auto calibration = std::make_shared<const Calibration>(Calibration{{"csr", of_csr}});
    return predict("csr", cost_of("csr", analysis), {}, analysis, {true, 1e10, 1, calibration}).seconds;
  };
  const double expected = deviation_of(speeds, shape);
  EXPECT_NEAR(predicted(speeds) / predicted({1, 1, 1, 1, 1, 1, 1, 1, 1}), expected, 1e-9);

  SpeedSample sample;
  sample.shape = shape;
  sample.load.streaming_s = 2;
  sample.product_s = 3;
  SpeedSample waits = sample;
  waits.chained = true;
  const std::vector<Deviation> found = deviations_from(speeds, {sample, waits});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].factor, 1.5);
  EXPECT_EQ(found[0].shape, shape);
}

TEST(Calibration, KnowsEveryFormatThatAutoConsiders) {
  const Calibration found = calibrate(make_host_backend({}), [](double) { return 1e10; });
  for (const char* format : {"csr", "csr_packed", "sell", "pjds", "jad", "pellr", "sell_packed",
                             "sell_blocked", "biell", "bijad"}) {
    ASSERT_EQ(found.count(format), 1u) << format;
    const Speeds& speeds = found.at(format);
    EXPECT_GT(speeds.streaming + speeds.iteration_ns + speeds.row_ns + speeds.scattered_ns, 0) << format;
    EXPECT_GT(speeds.build_ns + speeds.build_row_ns, 0) << format;
    EXPECT_GE(speeds.deviations.size(), 3u) << format;
  }
}

}  // namespace
}  // namespace spmv::test
