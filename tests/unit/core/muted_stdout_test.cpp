#include "core/muted_stdout.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(MutedStdout, DropsWhatItsThreadPrintsUntilItEnds) {
  std::FILE* const before = stdout;
  testing::internal::CaptureStdout();
  std::printf("before\n");
  {
    const MutedStdout muted;
    std::printf("a number %d\n", 1);
    std::puts("a line");
    std::fputs("a text", stdout);
    const MutedStdout again;
    std::putchar('c');
  }
  EXPECT_EQ(stdout, before);
  std::printf("after\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\nafter\n");
}

TEST(MutedStdout, LetsOtherThreadsPrint) {
  std::FILE* const before = stdout;
  testing::internal::CaptureStdout();
  {
    const MutedStdout muted;
    std::thread other([] {
      std::printf("%s %d\n", "other", 7);
      const MutedStdout its_own;
      std::printf("dropped\n");
    });
    other.join();
    std::printf("dropped\n");
  }
  EXPECT_EQ(stdout, before);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "other 7\n");
}

/// Reads `stdout` once; puts() and printf() of a plain line read it several times: see muted_stdout.hpp.
void print(const char* text) {
  std::fwrite(text, 1, std::strlen(text), stdout);
}

TEST(MutedStdout, LosesNothingOfThreadsThatComeAndGo) {
  constexpr int threads = 4, lines = 200;
  testing::internal::CaptureStdout();
  std::vector<std::thread> at_work;
  for (int t = 0; t < threads; ++t)
    at_work.emplace_back([] {
      for (int i = 0; i < lines; ++i) {
        print("kept\n");
        const MutedStdout muted;
        print("dropped\n");
      }
    });
  for (std::thread& thread : at_work) thread.join();
  std::string expected;
  for (int i = 0; i < threads * lines; ++i) expected += "kept\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

}  // namespace
}  // namespace spmv::test
