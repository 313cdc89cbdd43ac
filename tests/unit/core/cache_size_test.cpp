#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "core/this_machine.hpp"
#include "support/temporary_folder.hpp"

namespace spmv::test {
namespace {

void describe_cache(const std::string& folder, const std::string& place, int level, const std::string& type,
                    const std::string& size, const std::string& shared) {
  const std::filesystem::path at = std::filesystem::path(folder) / place;
  std::filesystem::create_directories(at);
  std::ofstream(at / "level") << level << "\n";
  std::ofstream(at / "type") << type << "\n";
  std::ofstream(at / "size") << size << "\n";
  std::ofstream(at / "shared_cpu_list") << shared << "\n";
}

TEST(CacheSize, EachOfTheLargestCountsOnce) {
  const TemporaryFolder folder;
  const std::string root = folder.path("processors");
  EXPECT_EQ(processor_cache_bytes(root), 0) << "no cache is listed";
  for (const char* processor : {"cpu0", "cpu1", "cpu2"}) {
    describe_cache(root, std::string(processor) + "/cache/index0", 1, "Data", "32K", processor);
    describe_cache(root, std::string(processor) + "/cache/index1", 1, "Instruction", "64K", processor);
  }
  EXPECT_EQ(processor_cache_bytes(root), 3 * 32 * 1024) << "instruction caches do not count";
  describe_cache(root, "cpu0/cache/index3", 3, "Unified", "8192K", "0-1");
  describe_cache(root, "cpu1/cache/index3", 3, "Unified", "8192K", "0-1");
  describe_cache(root, "cpu2/cache/index3", 3, "Unified", "4096K", "2");
  EXPECT_EQ(processor_cache_bytes(root), (8192 + 4096) * 1024);
  EXPECT_EQ(processor_cache_bytes(root + "/none"), 0);
}

}  // namespace
}  // namespace spmv::test
