#include "dist/machine/tuning_cache.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "support/matrix_market.hpp"
#include "support/mpi_test.hpp"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

CacheEntry entry(const std::string& signature, const std::string& format, double seconds) {
  CacheEntry e{"device", {signature, format, {}, seconds, 1000}};
  e.choice.options.sigma = 1024;
  e.choice.options.threads_per_block = 128;
  return e;
}

TEST(TuningCache, RoundTrip) {
  const auto back =
      parse_tuning_cache(
          tuning_cache_text(
              {{entry("one", "sell", 1e-4), entry("two", "csr", 2e-4), entry("one", "pjds", 3e-4)}, {}}))
          .entries;
  ASSERT_EQ(back.size(), 2u) << "the later of two entries with the same signature replaces the other";
  EXPECT_EQ(back[0].choice.format, "csr");
  EXPECT_EQ(back[1].choice.format, "pjds");
  EXPECT_EQ(back[1].device, "device");
  EXPECT_EQ(back[1].choice.options.sigma, 1024);
  EXPECT_EQ(back[1].choice.options.threads_per_block, 128);
  EXPECT_EQ(back[1].choice.options.chunk_rows, FormatOptions{}.chunk_rows);
  EXPECT_EQ(back[1].choice.measured_s, 3e-4);
  EXPECT_EQ(back[1].choice.products, 1000);
}

TEST(TuningCache, WhatIsNoCacheIsRefused) {
  std::string good = tuning_cache_text({{entry("one", "sell", 1e-4)}, {}});
  EXPECT_NO_THROW(parse_tuning_cache(good));
  std::string strange = good;
  strange.replace(strange.find("sell"), 4, "cell");
  std::string option = good;
  option.replace(option.find("sigma"), 5, "gamma");
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string("{\"version\": 99, \"entries\": []}"),
        std::string("{\"version\": 1, \"entries\": [{}]}"), good.substr(0, good.size() / 2), strange, option})
    EXPECT_EQ(error_of([&] { parse_tuning_cache(text); }).code(), ExitCode::input) << text;
}

TEST(TuningCache, ValuesThatNoOptionCanHaveAreRefused) {
  const std::string good = tuning_cache_text({{entry("one", "sell", 1e-4)}, {}});
  const auto with = [&](const std::string& name, const std::string& value) {
    std::string text = good;
    const std::size_t begin = text.find(name) + name.size() + 3;  // skips quote, colon and blank
    return text.replace(begin, text.find_first_of(",\n", begin) - begin, value);
  };
  EXPECT_EQ(parse_tuning_cache(with("sigma", "64")).entries.at(0).choice.options.sigma, 64);
  for (const char* sigma :
       {"0", "-1", "2147483648", "18446744073709551615", "1e300", "64.5", "64.0", "true", "[]"})
    EXPECT_EQ(error_of([&] { parse_tuning_cache(with("sigma", sigma)); }).code(), ExitCode::input) << sigma;
  EXPECT_EQ(error_of([&] { parse_tuning_cache(with("threads_per_block", "100")); }).code(), ExitCode::input);
  for (const char* name : {"measured_s", "products"})
    for (const char* number : {"0", "-1", "1e999", "null"})
      EXPECT_EQ(error_of([&] { parse_tuning_cache(with(name, number)); }).code(), ExitCode::input)
          << name << " " << number;
  for (const char* version : {"1e300", "1.5", "null"})
    EXPECT_EQ(error_of([&] { parse_tuning_cache(with("version", version)); }).code(), ExitCode::input)
        << version;
}

TEST(TuningCache, EveryRanksChoiceIsRememberedOnce) {
  const Communicator& communicator = world();
  const SharedFolder folder;
  const std::string path = folder.path("new/and/deep/tuning.json");
  const TuningCache cache(path, "device", {});
  EXPECT_TRUE(cache.remembered(communicator).choices.empty());
  Decision decision;
  decision.format = "sell";
  decision.signature = "rank " + std::to_string(communicator.rank());
  decision.measured_s = 1e-5;
  decision.options.sigma = 64;
  decision.columns_apart = true;
  cache.remember(communicator, decision, 500);
  const auto remembered = cache.remembered(communicator).choices;
  ASSERT_EQ(remembered.size(), static_cast<std::size_t>(communicator.size()));
  for (const RememberedChoice& k : remembered) {
    EXPECT_EQ(k.format, "sell");
    EXPECT_EQ(k.options.sigma, 64);
    EXPECT_EQ(k.products, 500);
    EXPECT_TRUE(k.columns_apart);
  }
  EXPECT_TRUE(TuningCache(path, "another device", {}).remembered(communicator).choices.empty());

  decision.signature = "predicted only";
  decision.measured_s = 0;
  cache.remember(communicator, decision, 500);
  decision.measured_s = 1e-5;
  decision.remembered = true;
  cache.remember(communicator, decision, 500);
  EXPECT_EQ(cache.remembered(communicator).choices.size(), remembered.size());
}

TEST(TuningCache, ACalibrationIsKeptForItsDeviceBesideChoices) {
  const Communicator& communicator = world();
  const SharedFolder folder;
  const TuningCache cache(folder.path("tuning.json"), "device", {});
  RememberedTuning tuning = cache.remembered(communicator);
  EXPECT_EQ(tuning.calibration, nullptr);
  EXPECT_FALSE(tuning.calibrations_of_others);
  Decision decision;
  decision.format = "sell";
  decision.signature = "one";
  decision.measured_s = 1e-5;
  cache.remember(communicator, decision, 500);
  cache.remember(communicator, Calibration{{"csr", {1, 2, 3, 4, 5, 6, 7, 8, 9}}});
  const Deviation deviation{{1, 0.1, 0, -2, 3}, 1.25};
  cache.remember(communicator,
                 Calibration{{"csr", {1.5, 2, 3, 4, 5, 6, 7, 8, 9, {deviation}}}, {"sell", {}}});
  decision.signature = "two";
  cache.remember(communicator, decision, 500);

  tuning = cache.remembered(communicator);
  EXPECT_EQ(tuning.choices.size(), 2u) << "storing a calibration must keep the choices";
  ASSERT_NE(tuning.calibration, nullptr) << "storing choices must keep the calibration";
  ASSERT_EQ(tuning.calibration->size(), 2u) << "the later of two calibrations";
  const Speeds& speeds = tuning.calibration->at("csr");
  EXPECT_EQ(speeds.streaming, 1.5);
  EXPECT_EQ(speeds.iteration_ns, 2);
  EXPECT_EQ(speeds.fast_ns, 3);
  EXPECT_EQ(speeds.uneven_ns, 4);
  EXPECT_EQ(speeds.row_ns, 5);
  EXPECT_EQ(speeds.scattered_ns, 6);
  EXPECT_EQ(speeds.build_ns, 7);
  EXPECT_EQ(speeds.build_row_ns, 8);
  EXPECT_EQ(speeds.sort_ns, 9);
  ASSERT_EQ(speeds.deviations.size(), 1u);
  EXPECT_EQ(speeds.deviations[0].shape, deviation.shape);
  EXPECT_EQ(speeds.deviations[0].factor, deviation.factor);

  const TuningCache other(folder.path("tuning.json"), "another device", {});
  EXPECT_EQ(other.remembered(communicator).calibration, nullptr);
  EXPECT_TRUE(other.remembered(communicator).calibrations_of_others);
}

TEST(TuningCache, SpeedsThatNothingCanHaveAreRefused) {
  const std::string good = tuning_cache_text(
      {{}, {{"device", {{"csr", {1, 2, 3, 4, 5, 6, 7, 8, 9, {{{10, 11, 12, 13, 14}, 15}}}}}}}});
  EXPECT_EQ(parse_tuning_cache(good).calibrations.at(0).calibration.at("csr").uneven_ns, 4);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"3.0", "-3.0"},
                                                                                 {"3.0", "null"},
                                                                                 {"3.0", "1e999"},
                                                                                 {"csr", "cell"},
                                                                                 {"row_ns", "rows"},
                                                                                 {"12.0,", ""},
                                                                                 {"12.0", "null"},
                                                                                 {"15.0", "0.0"},
                                                                                 {"15.0", "-1.0"},
                                                                                 {"deviations", "what"}}) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    EXPECT_EQ(error_of([&] { parse_tuning_cache(text); }).code(), ExitCode::input) << text;
  }
}

TEST(TuningCache, CorruptAndUnwritableFilesAreLeftAside) {
  const Communicator& communicator = world();
  const SharedFolder folder;
  const std::string path = folder.path("tuning.json");
  std::string warnings;
  const auto warn = [&](const std::string& sentence) { warnings += sentence + "\n"; };
  if (communicator.rank() == 0) std::ofstream(path) << "{ no JSON";
  communicator.barrier();
  const TuningCache cache(path, "device", warn);
  EXPECT_TRUE(cache.remembered(communicator).choices.empty());
  EXPECT_EQ(warnings.find(path) != std::string::npos, communicator.rank() == 0) << warnings;
  Decision decision;
  decision.format = "sell";
  decision.signature = "one";
  decision.measured_s = 1e-5;
  cache.remember(communicator, decision, 500);
  EXPECT_EQ(cache.remembered(communicator).choices.size(), 1u) << "the file was not rewritten";
  const TuningCache nowhere("/proc/no/such/folder/tuning.json", "device", warn);
  warnings.clear();
  EXPECT_NO_THROW(nowhere.remember(communicator, decision, 500));
  EXPECT_EQ(warnings.empty(), communicator.rank() != 0) << "rank 0 must warn that the file cannot be written";
  EXPECT_TRUE(nowhere.remembered(communicator).choices.empty());
  EXPECT_TRUE(TuningCache("", "device", warn).remembered(communicator).choices.empty());
}

// Another user's file could name slow formats for this user's runs; and it must not be overwritten.
TEST(TuningCache, FilesOfOtherUsersAreLeftAside) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  const Communicator& communicator = world();
  const SharedFolder folder;
  const std::string path = folder.path("tuning.json");
  const std::string theirs = tuning_cache_text({{entry("one", "sell", 1e-4)}, {}});
  constexpr uid_t somebody = 12345;
  if (communicator.rank() == 0) {
    std::ofstream(path) << theirs;
    ASSERT_EQ(chown(path.c_str(), somebody, somebody), 0);
  }
  communicator.barrier();
  std::string warnings;
  const TuningCache cache(path, "device", [&](const std::string& sentence) { warnings += sentence; });
  EXPECT_TRUE(cache.remembered(communicator).choices.empty());
  EXPECT_EQ(warnings.find("belongs to another user") != std::string::npos, communicator.rank() == 0)
      << warnings;
  Decision decision;
  decision.format = "csr";
  decision.signature = "two";
  decision.measured_s = 1e-5;
  cache.remember(communicator, decision, 500);
  if (communicator.rank() == 0) {
    EXPECT_EQ(contents(path), theirs);
  }
}

}  // namespace
}  // namespace spmv::test
