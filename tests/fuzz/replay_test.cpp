// Every input that is kept, through the harnesses' functions, in a build by any compiler.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "fuzz/harness.hpp"

namespace spmv::fuzz {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs every file of `folder`; returns how many there are.
int replay(const Harness& harness, const std::filesystem::path& folder) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    // A buffer of the very size, so that a sanitizer sees a read behind its end.
    const std::string text = bytes_of(file.path());
    const std::vector<char> input(text.begin(), text.end());
    EXPECT_NO_THROW(harness.run({input.data(), input.size()})) << file.path();
    ++files;
  }
  return files;
}

class Fuzz : public testing::TestWithParam<Harness> {};

TEST_P(Fuzz, KeptCorpus) {
  constexpr int least = 5;
  EXPECT_GE(replay(GetParam(), std::filesystem::path(SPMV_FUZZ_SEEDS) / GetParam().name), least);
}

INSTANTIATE_TEST_SUITE_P(, Fuzz, testing::ValuesIn(harnesses()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FuzzInvalidFiles, AreInputsOfTheReadersToo) {
  for (const Harness& harness : {Harness{"matrix_market", matrix_market}, Harness{"gzip", gzip}})
    EXPECT_GE(replay(harness, SPMV_FUZZ_INVALID_FILES), 50);
}

}  // namespace
}  // namespace spmv::fuzz
