#include "app/launch/end_request.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(EndRequest, IsTakenOnceByACommandThatHeedsIt) {
  EndRequest request;
  EXPECT_FALSE(request.put(SIGTERM)) << "nobody looks for it";
  EXPECT_EQ(request.signal(), 0);
  {
    const EndRequest::Heeded heeded(request);
    EXPECT_EQ(request.signal(), 0);
    EXPECT_TRUE(request.put(SIGINT));
    EXPECT_FALSE(request.put(SIGTERM)) << "the second one ends the process";
    EXPECT_EQ(request.signal(), SIGINT);
  }
  EXPECT_FALSE(request.put(SIGTERM));
  EXPECT_EQ(request.signal(), SIGINT) << "a command looks once more";
}

}  // namespace
}  // namespace spmv::test
