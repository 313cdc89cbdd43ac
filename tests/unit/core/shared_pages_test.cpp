// Pages that ranks share: what a handle maps, what it must not map, and which files stay open.
#include "core/shared_pages.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/lent_token.hpp"
#include "support/matrix_market.hpp"
#include "support/open_files.hpp"

namespace spmv::test {
namespace {

constexpr std::size_t bytes = 5000;

TEST(SharedPages, EveryMappingSeesTheSame) {
  const auto lent = allocate_shared_pages(bytes);
  const auto mapped = map_shared_pages(lent->handle()), again = map_shared_pages(lent->handle());
  EXPECT_EQ(mapped->data()[bytes - 1], std::byte{0});
  std::memset(lent->data(), 7, bytes);
  EXPECT_EQ(std::memcmp(mapped->data(), lent->data(), bytes), 0);
  EXPECT_EQ(std::memcmp(again->data(), lent->data(), bytes), 0);
}

TEST(SharedPages, NoFileStaysOpenForWhatIsMapped) {
  const std::size_t before = open_files();
  const auto lent = allocate_shared_pages(bytes);
  const auto mapped = map_shared_pages(lent->handle());
  lent->end_lending();
  EXPECT_EQ(open_files(), before);
  lent->data()[0] = std::byte{3};
  EXPECT_EQ(mapped->data()[0], std::byte{3}) << "mapped pages must stay";
}

/// The error from mapping a handle's token under another name.
Error refused(const std::string& handle, const std::string& name) {
  const Error error = error_of([&] { map_shared_pages(to_string({parse_lent_handle(handle).token, name})); });
  EXPECT_EQ(error.code(), ExitCode::environment) << name;
  return error;
}

// In another PID namespace a handle may name another file, of this or another process.
TEST(SharedPages, AnotherFileUnderTheSameNameIsRefused) {
  const auto lent = allocate_shared_pages(bytes), other = allocate_shared_pages(bytes);
  const std::string others_name = parse_lent_handle(other->handle()).name;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const std::string pipe_name = "/proc/self/fd/" + std::to_string(pipe_ends[0]);
  const std::string empty = testing::TempDir() + "/empty_file";
  std::fclose(std::fopen(empty.c_str(), "w"));
  const std::size_t before = open_files();
  for (const std::string& name :
       {others_name, pipe_name, empty, std::string("/dev/zero"), std::string("/tmp")})
    EXPECT_NE(std::string(refused(lent->handle(), name).what()).find("names other memory here"),
              std::string::npos)
        << name;
  EXPECT_NE(std::string(refused(lent->handle(), "/proc/self/fd/9999").what()).find("PID namespaces"),
            std::string::npos);
  EXPECT_EQ(open_files(), before);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(SharedPages, TokensDiffer) {
  EXPECT_NE(draw_token(), draw_token());
  EXPECT_NE(draw_token(), LentToken{});
}

TEST(SharedPages, TooManyOpenFilesAreNoWantOfMemory) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Error error = error_of([] { allocate_shared_pages(bytes); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_NE(std::string(error.what()).find("ulimit -n"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace spmv::test
