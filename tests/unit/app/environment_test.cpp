#include "app/run/environment.hpp"

#include <gtest/gtest.h>

#include "comm/place/cores.hpp"

namespace spmv::test {
namespace {

TEST(Environment, CoresAreRanges) {
  EXPECT_EQ(core_ranges({}), "");
  EXPECT_EQ(core_ranges({3}), "3");
  EXPECT_EQ(core_ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(Environment, DriversTellTheirVersion) {
  EXPECT_EQ(
      driver_version(
          "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc 12.2.0\n"),
      "535.104.05");
  EXPECT_EQ(
      driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build\n"),
      "550.54.15");
  EXPECT_EQ(driver_version(""), "");
}

}  // namespace
}  // namespace spmv::test
