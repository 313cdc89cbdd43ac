// Which ranks share a machine, and which share a device.
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/place/devices.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

using namespace std::string_literals;

TEST(Machine, HasAtLeastTheRanksOfTheNode) {
  const Communicator& c = world();
  const Communicator machine = ranks_of_machine(c), node = c.node();
  EXPECT_GE(machine.size(), node.size());
  EXPECT_EQ(machine.size(), c.size()) << "all ranks of this test are on one machine";
  EXPECT_EQ(machine.rank(), c.rank()) << "in the order of the communicator";
}

TEST(Machine, MpiKnowsTheRanksOfASingleNode) {
  std::vector<int> all(static_cast<std::size_t>(world().size()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(world().ranks_of_node_by_mpi(), all);
}

TEST(Machine, RanksWithTheSameText) {
  const Communicator& c = world();
  const Communicator thirds = c.split("longer"s.substr(0, static_cast<std::size_t>(c.rank() % 3 + 1)));
  EXPECT_EQ(thirds.size(), (c.size() - c.rank() % 3 + 2) / 3);
  EXPECT_EQ(thirds.rank(), c.rank() / 3) << "in the order of the communicator";
}

TEST(Machine, RanksOnADevice) {
  const Communicator& c = world();
  EXPECT_EQ(ranks_on_device(c, ""), 0);
  EXPECT_EQ(ranks_on_device(c, "GPU-of-all"), c.size());
  EXPECT_EQ(ranks_on_device(c, "GPU-" + std::to_string(c.rank())), 1);
  const int pair = c.rank() / 2;
  EXPECT_EQ(ranks_on_device(c, "GPU-" + std::to_string(pair)), c.size() > 2 * pair + 1 ? 2 : 1);
  // Rank 0 has no device and counts nowhere; the others share one.
  EXPECT_EQ(ranks_on_device(c, c.rank() == 0 ? "" : "GPU-of-others"), c.rank() == 0 ? 0 : c.size() - 1);
}

}  // namespace
}  // namespace spmv::test
