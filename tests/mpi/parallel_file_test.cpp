// Files that every rank writes a part of: complete or absent.
#include "comm/parallel_file.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/mpi_test.hpp"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

namespace fs = std::filesystem;

/// Number of files in the folder of `path`.
std::ptrdiff_t files_beside(const std::string& path) {
  const fs::directory_iterator all(fs::path(path).parent_path());
  return std::distance(begin(all), end(all));
}

TEST(ParallelFiles, HoldWhatEveryRankWrote) {
  const SharedFolder folder;
  const std::string path = folder.path("a:b");
  std::string draft, told;
  {
    NewParallelFile file(world(), path, [&](const std::string& name) {
      told += name.empty() ? "none" : "one ";
      if (!name.empty()) draft = name;
    });
    const char mine = static_cast<char>('a' + world().rank());
    file.write_at(static_cast<std::uint64_t>(world().rank()) * 3, std::string(3, mine).data(), 3);
    EXPECT_FALSE(fs::exists(path));
    world().barrier();
    file.publish();
  }
  EXPECT_EQ(told, world().rank() == 0 ? "one none" : "");
  EXPECT_EQ(fs::path(draft).parent_path(), world().rank() == 0 ? fs::path(path).parent_path() : fs::path());
  std::string wanted;
  for (int rank = 0; rank < world().size(); ++rank) wanted += std::string(3, static_cast<char>('a' + rank));
  EXPECT_EQ(contents(path), wanted);
  EXPECT_EQ(files_beside(path), 1);
  world().barrier();  // MPI may keep its own file beside an open one
  const ParallelFile file(path, ParallelFile::Use::read, path);
  EXPECT_EQ(file.bytes(), wanted.size());
  std::string middle(2, '\0');
  file.read_at(1, middle.data(), 2);
  EXPECT_EQ(middle, wanted.substr(1, 2));
}

TEST(ParallelFiles, AreGoneUnlessTheyAreThrough) {
  const SharedFolder folder;
  const std::string path = folder.write("m", "old");
  {
    NewParallelFile file(world(), path, {});
    file.write_at(0, "new", 3);
  }
  world().barrier();
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files_beside(path), 1);
}

TEST(ParallelFiles, ReplaceWhatIsThere) {
  const SharedFolder folder;
  const std::string path = folder.write("m", "old and long");
  if (world().rank() == 0) fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  world().barrier();
  NewParallelFile file(world(), path, {});
  if (world().rank() == 0) file.write_at(0, "new", 3);
  file.publish();
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(ParallelFiles, TellWhyTheyCannotBe) {
  const SharedFolder folder;
  try {
    NewParallelFile(world(), folder.path("none/m"), {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("none/m"), std::string::npos) << error.what();
  }
  try {
    ParallelFile(folder.path("none"), ParallelFile::Use::read, "the name");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_EQ(std::string(error.what()).rfind("the name: cannot be read", 0), 0U) << error.what();
  }
}

TEST(ParallelFiles, AShortFileIsNoticed) {
  const SharedFolder folder;
  const std::string path = folder.write("m", "12345");
  const ParallelFile file(path, ParallelFile::Use::read, path);
  std::string bytes(4, '\0');
  file.read_at(1, bytes.data(), 4);
  EXPECT_EQ(bytes, "2345");
  for (const std::uint64_t begin : {2, 5, 100}) EXPECT_THROW(file.read_at(begin, bytes.data(), 4), Error);
}

}  // namespace
}  // namespace spmv::test
