#include "app/outputs.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

namespace fs = std::filesystem;

NamedFiles named(const std::string& matrix, const std::string& json, const std::string& csv,
                 const std::string& trace, const std::string& cache) {
  return {{"the matrix", matrix, FileUse::read},
          {"--tune-cache", cache, FileUse::cache},
          {"--json", json},
          {"--csv", csv},
          {"--trace", trace}};
}

void expect_refused(const NamedFiles& files, ExitCode code, const std::vector<std::string>& words) {
  const Error error = error_of([&] { Outputs{files}; });
  EXPECT_EQ(error.code(), code) << error.what();
  for (const std::string& word : words)
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
}

TEST(Outputs, NoneIsTheMatrixOrAnother) {
  const TemporaryFolder folder;
  const std::string m = folder.write("m.mtx", "matrix"), f = folder.path("f");
  fs::create_symlink("m.mtx", folder.path("link"));
  for (const std::string& name : {m, folder.path("./m.mtx"), folder.path("link")}) {
    expect_refused(named(m, name, "", "", ""), ExitCode::usage, {"--json", "the matrix", name});
    expect_refused(named(m, "", name, "", ""), ExitCode::usage, {"--csv", "the matrix"});
    expect_refused(named(m, "", "", name, ""), ExitCode::usage, {"--trace", "the matrix"});
    expect_refused(named(m, "", "", "", name), ExitCode::usage, {"--tune-cache", "the matrix"});
  }
  expect_refused(named(m, f, f, "", ""), ExitCode::usage, {"--csv", "--json", f});
  expect_refused(named(m, f, "", f, ""), ExitCode::usage, {"--trace", "--json"});
  expect_refused(named(m, "", f, f, ""), ExitCode::usage, {"--trace", "--csv"});
  expect_refused(named(m, f, "", "", f), ExitCode::usage, {"--json", "--tune-cache"});
  EXPECT_NO_THROW(Outputs(named(m, "/dev/null", "/dev/null", f, "/dev/null")));
  EXPECT_EQ(contents(m), "matrix");
}

TEST(Outputs, ATuningCacheIsAFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder.path("link"));
  for (const char* name : {"pipe", "link", ""})
    expect_refused(named("m", "", "", "", folder.path(name)), ExitCode::usage,
                   {"--tune-cache", "regular file", "off"});
  EXPECT_NO_THROW(Outputs(named("m", "", "", "", "/no/such/folder/cache")))
      << "a cache that cannot be written is no error";
}

TEST(Outputs, NamesOfPackedFilesAreOfPackedFiles) {
  const TemporaryFolder folder;
  const std::string json = folder.path("r.json.gz");
  Outputs outputs(named("m.gz", json, "", "", ""));
  outputs.write("--json", [] { return std::string(10'000, '1'); });
  EXPECT_LT(fs::file_size(json), 1000u);
  EXPECT_EQ(contents(json).substr(0, 2), "\x1f\x8b");
  const auto of_ranks = [&](const char* name, FileUse use) {
    return NamedFiles{{"--write", folder.path(name), use}};
  };
  EXPECT_NO_THROW(Outputs(of_ranks("x.mtx.gz", FileUse::by_ranks)));
  expect_refused(of_ranks("x.spmv.gz", FileUse::by_ranks), ExitCode::usage, {"x.spmv.gz", "packed"});
  expect_refused(of_ranks("x.mtx.gz", FileUse::binary), ExitCode::usage, {"x.mtx.gz", "packed"});
  expect_refused(named("m", "", "", "", folder.path("cache.gz")), ExitCode::usage,
                 {"--tune-cache", "packed"});
}

TEST(Outputs, OneThatFailsKeepsNoOtherFromBeingWritten) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("gone"));
  Outputs outputs(
      named("m", folder.path("gone/r.json"), folder.path("r.csv"), folder.path("gone/r.trace"), ""));
  fs::remove_all(folder.path("gone"));
  const auto text = [] { return std::string("text"); };
  for (const char* option : {"--json", "--csv", "--trace"}) outputs.write(option, text);
  EXPECT_EQ(contents(folder.path("r.csv")), "text");
  EXPECT_NE(outputs.failures().find("r.json"), std::string::npos) << outputs.failures();
  EXPECT_NE(outputs.failures().find("r.trace"), std::string::npos) << outputs.failures();
}

TEST(Outputs, WhatWasNotNamedIsNotMade) {
  Outputs outputs(named("m", "", "", "", ""));
  outputs.write("--json", []() -> std::string { throw Error(ExitCode::internal, "made"); });
  EXPECT_EQ(outputs.failures(), "");
}

}  // namespace
}  // namespace spmv::test
