// Runs the tests on every rank at once. Rank 0 tells the story, the others speak only when they fail, and a
// failure anywhere is everyone's.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"

namespace spmv::test {
namespace {

/// Failures only, each with its rank and test. Asking googletest for the test's name while it reports would
/// deadlock.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s: %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "-", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
  std::string test_;
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
