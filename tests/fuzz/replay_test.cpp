// Runs the harnesses on the kept corpus, in a build by any compiler.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/harness.hpp"

namespace spmv::fuzz {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The bytes of a line of the kept corpus, where corpus.py wrote newlines as \n and other unprintable bytes
/// as \xNN.
std::string unescaped(const std::string& line) {
  std::string bytes;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\\') {
      bytes += line[at];
    } else if (line.at(at + 1) == 'n') {
      bytes += '\n';
      ++at;
    } else {
      bytes += static_cast<char>(std::stoi(line.substr(at + 2, 2), nullptr, 16));
      at += 3;
    }
  }
  return bytes;
}

void run(const Harness& harness, const std::string& bytes, const std::string& name) {
  // A buffer of exactly this size, so that a sanitizer sees reads past its end.
  const std::vector<char> input(bytes.begin(), bytes.end());
  EXPECT_NO_THROW(harness.run({input.data(), input.size()})) << name;
}

class Fuzz : public testing::TestWithParam<Harness> {};

TEST_P(Fuzz, KeptCorpus) {
  const std::string path = std::string(SPMV_FUZZ_SEEDS) + "/" + GetParam().name + ".txt";
  std::ifstream lines(path);
  int inputs = 0;
  for (std::string line; std::getline(lines, line); ++inputs)
    run(GetParam(), unescaped(line), path + ":" + std::to_string(inputs + 1));
  EXPECT_GE(inputs, 40) << path;
}

INSTANTIATE_TEST_SUITE_P(, Fuzz, testing::ValuesIn(harnesses()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FuzzInvalidFiles, AreInputsOfTheReadersToo) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(SPMV_FUZZ_INVALID_FILES)) {
    for (const Harness& harness : {Harness{"matrix_market", matrix_market}, Harness{"gzip", gzip}})
      run(harness, bytes_of(file.path()), file.path().string());
    ++files;
  }
  EXPECT_GE(files, 50);
}

}  // namespace
}  // namespace spmv::fuzz
