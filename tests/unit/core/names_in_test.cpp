#include "core/names_in.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace spmv::test {
namespace {

TEST(NamesIn, AreThoseOfFilesAndFoldersAlone) {
  const TemporaryFolder folder;
  const std::string root = folder.path("names");
  EXPECT_TRUE(names_in(root).empty()) << "there is no such folder";
  std::filesystem::create_directories(root + "/a folder");
  std::ofstream(root + "/.hidden") << 1;
  std::ofstream(root + "/..file") << 1;
  std::vector<std::string> names = names_in(root);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"..file", ".hidden", "a folder"}));
  EXPECT_TRUE(names_in(root + "/a folder").empty());
  EXPECT_TRUE(names_in(root + "/.hidden").empty()) << "no folder";
}

}  // namespace
}  // namespace spmv::test
