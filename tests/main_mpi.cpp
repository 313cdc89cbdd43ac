// Runs the tests on every rank at once. Rank 0 tells the story, the others speak only when they fail, and a
// failure anywhere is everyone's.
#include <cstdio>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"

namespace spmv::test {
namespace {

/// Failures only, each with its rank and test.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_,
                 test != nullptr ? test->test_suite_name() : "-", test != nullptr ? test->name() : "-",
                 result.file_name() != nullptr ? result.file_name() : "-", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
};

}  // namespace
}  // namespace spmv::test

int main(int argc, char** argv) {
  const spmv::MpiSession session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const spmv::Communicator world = spmv::Communicator::world();
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  const bool speaks = world.rank() == 0;
  if (!speaks) delete listeners.Release(listeners.default_result_printer());
  if (!speaks) listeners.Append(new spmv::test::FailurePrinter(world.rank()));
  const int mine = RUN_ALL_TESTS();
  return world.max(spmv::gidx{mine}) == 0 ? 0 : 1;
}
