#include "core/as_error.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(AsError, WhatWasRefusedIsMemory) {
  EXPECT_EQ(as_error(std::bad_alloc()).code(), ExitCode::memory);
  for (const std::errc code : {std::errc::resource_unavailable_try_again, std::errc::not_enough_memory}) {
    const Error error = as_error(std::system_error(std::make_error_code(code)));
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("ulimit -v"), std::string::npos) << error.what();
  }
}

TEST(AsError, AnErrorStaysAndAllElseIsInternal) {
  EXPECT_EQ(as_error(Error(ExitCode::input, "the file")).code(), ExitCode::input);
  EXPECT_EQ(std::string(as_error(Error(ExitCode::input, "the file")).what()), "the file");
  EXPECT_EQ(as_error(std::runtime_error("odd")).code(), ExitCode::internal);
  EXPECT_EQ(as_error(std::system_error(std::make_error_code(std::errc::io_error))).code(),
            ExitCode::internal);
}

}  // namespace
}  // namespace spmv::test
