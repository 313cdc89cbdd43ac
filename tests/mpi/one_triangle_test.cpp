#include "load/one_triangle.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "support/matrix_market.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// The error for a symmetric 9 x 9 matrix with these entries, read in one part per rank; empty if it is
/// accepted.
std::string refusal(const std::string& entries, int count) {
  const Communicator& communicator = world();
  std::unique_ptr<TemporaryFolder> folder;
  std::string path;
  if (communicator.rank() == 0) {
    folder = std::make_unique<TemporaryFolder>();
    path = folder->write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n9 9 " +
                                      std::to_string(count) + "\n" + entries);
  }
  path = communicator.broadcast(path);
  const MatrixMarketHeader header = read_header(path);
  const auto part = read_part<double>(path, header, communicator.rank(), communicator.size(), {});
  communicator.barrier();
  try {
    require_one_triangle(communicator, path, header, part, RowPartition::even(9, communicator.size()));
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    return error.what();
  }
  return {};
}

TEST(OneTriangle, EitherOneAndDuplicatesAreFine) {
  EXPECT_EQ(refusal("2 1 1\n9 1 1\n9 9 4\n", 3), "");
  EXPECT_EQ(refusal("1 2 1\n1 9 1\n9 9 4\n", 3), "");
  EXPECT_EQ(refusal("2 1 1\n1 9 1\n2 1 4\n1 9 -1\n", 4), "") << "both triangles, but no position in both";
}

TEST(OneTriangle, PairsAreFoundWhereverTheyStand) {
  const std::string text = refusal("9 2 1\n3 3 2\n4 1 1\n1 5 7\n2 9 1\n1 4 8\n", 6);
  EXPECT_NE(text.find("(4, 1) and (1, 4)"), std::string::npos) << text;
  EXPECT_NE(text.find("2 such pairs"), std::string::npos) << text;
}

}  // namespace
}  // namespace spmv::test
