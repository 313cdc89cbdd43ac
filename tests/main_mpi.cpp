// Runs the tests on every rank. Rank 0 prints the results; the other ranks print only failures. A failure on
// any rank makes every rank's exit code 1.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "comm/communicator.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// Prints failures, each with its rank and test. It stores the test's name, because asking googletest during
/// a report would deadlock.
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

/// The communicator that world() returns while its owner lives.
std::optional<Communicator>& shared_world() {
  static std::optional<Communicator> shared;
  return shared;
}

/// Destroys what is attached to the world before MPI and the devices shut down.
class WorldOwner {
 public:
  WorldOwner() { shared_world() = Communicator::world(); }
  ~WorldOwner() { shared_world().reset(); }
  WorldOwner(const WorldOwner&) = delete;
  WorldOwner& operator=(const WorldOwner&) = delete;
};

/// Fails a test that leaves a message unreceived after all ranks have finished it.
class StrayMessages : public testing::EmptyTestEventListener {
 public:
  explicit StrayMessages(testing::TestEventListeners& listeners) : listeners_(listeners) {
    listeners_.Append(this);
  }
  ~StrayMessages() override { listeners_.Release(this); }
  StrayMessages(const StrayMessages&) = delete;
  StrayMessages& operator=(const StrayMessages&) = delete;

  void OnTestEnd(const testing::TestInfo&) override {
    apart_.barrier();
    while (take_message())
      ADD_FAILURE() << "a message of rank " << status_.MPI_SOURCE << " is left, tag " << status_.MPI_TAG;
    apart_.barrier();  // no rank sends for the next test while others still look
  }

 private:
  /// Receives one message. False if there is none. Local.
  bool take_message() {
    const MPI_Comm comm = *static_cast<const MPI_Comm*>(world().handle());
    int found = 0, bytes = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status_);
    if (found == 0) return false;
    MPI_Get_count(&status_, MPI_BYTE, &bytes);
    std::vector<char> message(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data(), bytes, MPI_BYTE, status_.MPI_SOURCE, status_.MPI_TAG, comm, &status_);
    return true;
  }

  testing::TestEventListeners& listeners_;
  Communicator apart_ = world().duplicate();
  MPI_Status status_{};
};

}  // namespace

const Communicator& world() {
  return *shared_world();
}

}  // namespace spmv::test

int main(int argc, char** argv) {
  const spmv::MpiSession session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const spmv::test::WorldOwner owner;
  const spmv::Communicator& world = spmv::test::world();
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  const bool prints = world.rank() == 0;
  if (!prints) delete listeners.Release(listeners.default_result_printer());
  if (!prints) listeners.Append(new spmv::test::FailurePrinter(world.rank()));
  const spmv::test::StrayMessages stray_messages(listeners);
  const int mine = RUN_ALL_TESTS();
  return world.max(spmv::gidx{mine}) == 0 ? 0 : 1;
}
