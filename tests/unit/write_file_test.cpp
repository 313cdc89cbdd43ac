#include "core/write_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "matrix_market_support.hpp"

namespace spmv::test {
namespace {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(WriteFile, ReplacesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old and longer");
  write_file(path, "new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(WriteFile, LeavesWhatWasThereWhenItFails) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old");
  std::filesystem::create_directory(path + ".part");  // what it writes beside the target cannot be opened
  const Error error = error_of([&] { write_file(path, "new"); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  EXPECT_EQ(contents(path), "old");
}

TEST(WriteFile, NamesTheFileAndTheReason) {
  const Error error = error_of([] { write_file("/no/such/folder/result.json", "new"); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_NE(std::string(error.what()).find("/no/such/folder/result.json"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace spmv::test
