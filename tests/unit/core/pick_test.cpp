#include "core/pick.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

struct Row {
  const char* name;
  int number;
};

const std::vector<Row> table = {{"one", 1}, {"two", 2}};

TEST(Pick, FindsTheRow) {
  EXPECT_EQ(pick(table, "two", "number").number, 2);
}

TEST(Pick, NamesWhatIsUnknownAndWhatIsKnown) {
  for (const char* wrong : {"three", "", "on", "ones", "One"}) {
    try {
      pick(table, wrong, "number");
      FAIL() << wrong << " was found";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_EQ(error.what(), "unknown number '" + std::string(wrong) + "'; known are: one, two");
    }
  }
}

}  // namespace
}  // namespace spmv::test
