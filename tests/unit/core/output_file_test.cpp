#include "core/output_file.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/error.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator()));
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode;
}

/// Fails unless `action` throws Error(environment) with a message that contains all of `words`.
template <class Action>
void expect_refused(const Action& action, const std::vector<std::string>& words) {
  const Error error = error_of(action);
  EXPECT_EQ(error.code(), ExitCode::environment) << error.what();
  for (const std::string& word : words)
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
}

TEST(OutputFile, ReplacesTheFileAndKeepsWhoMayReadIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old and longer");
  chmod(path.c_str(), 0640);
  const OutputFile file(path);
  EXPECT_EQ(contents(path), "old and longer") << "the check must not write";
  file.write("new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(mode_of(path) & 0777U, 0640U);
  EXPECT_EQ(files_in(folder), 1u) << "another file is left";
}

TEST(OutputFile, ANewFileHasTheModeOfNewFiles) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  OutputFile(folder.path("result.json")).write("new");
  umask(before);
  EXPECT_EQ(mode_of(folder.path("result.json")) & 0777U, 0640U);
}

TEST(OutputFile, LooksWithoutATrace) {
  const TemporaryFolder folder;
  const OutputFile file(folder.path("result.json"));
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(OutputFile, NamesOfNewFilesForOthersAreTheirOwn) {
  const TemporaryFolder folder;
  const std::string path = folder.write("matrix.spmv", "old");
  {
    const NewFile one(path), other(path);
    EXPECT_NE(one.draft(), other.draft());
    EXPECT_EQ(mode_of(one.draft()) & 0777U, 0600U);
    EXPECT_EQ(files_in(folder), 3u);
  }
  EXPECT_EQ(files_in(folder), 1u);
  EXPECT_EQ(contents(path), "old");
  NewFile taken(path);
  std::ofstream(taken.draft()) << "new";
  taken.take_place();
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, LeavesAloneWhatIsCalledPart) {
  const TemporaryFolder folder;
  const std::string precious = folder.write("precious", "mine");
  fs::create_symlink(precious, folder.path("result.json.part"));
  OutputFile(folder.path("result.json")).write("new");
  EXPECT_EQ(contents(precious), "mine");
  EXPECT_TRUE(fs::is_symlink(folder.path("result.json.part")));
}

TEST(OutputFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("deep"));
  folder.write("deep/target", "old");
  fs::create_symlink("deep/target", folder.path("link"));
  fs::create_symlink("link", folder.path("link to it"));
  fs::create_symlink("deep/nothing yet", folder.path("dangling"));
  OutputFile(folder.path("link to it")).write("new");
  EXPECT_EQ(contents(folder.path("deep/target")), "new");
  OutputFile(folder.path("dangling")).write("born");
  EXPECT_EQ(contents(folder.path("deep/nothing yet")), "born");
  for (const char* link : {"link", "link to it", "dangling"})
    EXPECT_TRUE(fs::is_symlink(folder.path(link))) << link;
  fs::create_symlink("circle", folder.path("circle"));
  expect_refused([&] { OutputFile(folder.path("circle")); }, {"circle", "symbolic links"});
}

TEST(OutputFile, WritesThroughAPipe) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const OutputFile file(path);
  auto reader = std::async(std::launch::async, [&] { return contents(path); });
  file.write("new");
  EXPECT_EQ(reader.get(), "new");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(OutputFile, WritesThroughDevices) {
  const TemporaryFolder folder;
  const std::string null = folder.path("null"), full = folder.path("full");
  if (mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 || open(null.c_str(), O_WRONLY) < 0)
    GTEST_SKIP() << "only root can create devices, and not in every file system";
  OutputFile(null).write("new");
  EXPECT_TRUE(S_ISCHR(mode_of(null)));
  EXPECT_TRUE(is_null_device(null));
  EXPECT_TRUE(is_special_file(null));
  expect_refused([&] { OutputFile(full).write("new"); }, {full, "No space left"});
  EXPECT_TRUE(S_ISCHR(mode_of(full)));
  EXPECT_FALSE(same_file(null, null)) << "a device has no contents to lose";
  fs::create_symlink(null, folder.path("link"));
  OutputFile(folder.path("link")).write("new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_TRUE(is_null_device(folder.path("link")));
}

TEST(OutputFile, RefusesBeforehandWhatCannotBeWritten) {
  const TemporaryFolder folder;
  expect_refused([] { OutputFile("/no/such/folder/result.json"); },
                 {"/no/such/folder/result.json", "No such file", "name a file in a folder"});
  expect_refused([&] { OutputFile(folder.path("")); }, {"folder"});
  expect_refused([&] { OutputFile(folder.path("new") + "/"); }, {"name a file in"});
  expect_refused([&] { OutputFile(folder.path(std::string(300, 'n'))); }, {"too long"});
  expect_refused([&] { OutputFile(folder.write("file", "") + "/below"); }, {"Not a directory"});
  expect_refused([] { OutputFile("/proc/result.json"); }, {"/proc/result.json"});
}

TEST(OutputFile, LeavesWhatWasThereWhenItFails) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old");
  const OutputFile file(path);
  const auto signal_before = std::signal(SIGXFSZ, SIG_DFL);
  let_writes_fail();
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{4096, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Error error = error_of([&] { file.write(std::string(8192, 'n')); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, signal_before);
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_NE(std::string(error.what()).find("ulimit -f"), std::string::npos) << error.what();
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, TellsFilesThatAreTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "");
  fs::create_directory(folder.path("deep"));
  fs::create_symlink("file", folder.path("link"));
  fs::create_hard_link(path, folder.path("hard"));
  fs::create_symlink("new", folder.path("dangling"));
  for (const char* other : {"file", "./file", "deep/../file", "link", "hard"})
    EXPECT_TRUE(same_file(path, folder.path(other))) << other;
  EXPECT_TRUE(same_file(folder.path("new"), folder.path("deep/../new")));
  EXPECT_TRUE(same_file(folder.path("new"), folder.path("dangling")));
  EXPECT_FALSE(same_file(path, folder.path("new")));
  EXPECT_FALSE(same_file(folder.path("deep/new"), folder.path("new")));
}

}  // namespace
}  // namespace spmv::test
