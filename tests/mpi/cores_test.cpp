#include "comm/cores.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <sched.h>

#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// The calling thread's affinity, put back at the end.
class AffinityGuard {
 public:
  AffinityGuard() { sched_getaffinity(0, sizeof(mask_), &mask_); }
  ~AffinityGuard() { sched_setaffinity(0, sizeof(mask_), &mask_); }
  AffinityGuard(const AffinityGuard&) = delete;
  AffinityGuard& operator=(const AffinityGuard&) = delete;
  const cpu_set_t& mask() const { return mask_; }

 private:
  cpu_set_t mask_;
};

TEST(Cores, CountTheRanksThatShareThem) {
  const AffinityGuard guard;
  const Communicator c = world();
  const Cores cores = find_cores(c);
  EXPECT_EQ(static_cast<int>(cores.all.size()), CPU_COUNT(&guard.mask()));
  for (const int core : cores.all) EXPECT_TRUE(CPU_ISSET(core, &guard.mask()));
  EXPECT_GE(cores.sharing, 1);
  EXPECT_LE(cores.sharing, c.size());
  EXPECT_EQ(cores.per_rank, std::max(1, static_cast<int>(cores.all.size()) / cores.sharing));
}

TEST(Cores, EveryCommunicationThreadHasItsOwn) {
  const AffinityGuard guard;
  const Communicator c = world();
  const Cores cores = find_cores(c);
  EXPECT_EQ(cores.comm_core >= 0, cores.per_rank >= 2);
  EXPECT_TRUE(cores.comm_core < 0 || CPU_ISSET(cores.comm_core, &guard.mask()));
  const auto all = c.all_gather(cores.comm_core);
  EXPECT_TRUE(cores.comm_core < 0 || std::count(all.begin(), all.end(), cores.comm_core) == 1);
  for (const int core : cores.compute) EXPECT_EQ(std::count(all.begin(), all.end(), core), 0);
  EXPECT_FALSE(cores.compute.empty());
}

TEST(Cores, ARankBoundToOneCoreHasNoneToSpare) {
  const AffinityGuard guard;
  const Communicator c = world();
  int first = 0;
  while (!CPU_ISSET(first, &guard.mask())) ++first;
  bind_to({first});
  cpu_set_t bound;
  sched_getaffinity(0, sizeof(bound), &bound);
  EXPECT_EQ(CPU_COUNT(&bound), 1);
  EXPECT_TRUE(CPU_ISSET(first, &bound));
  const Cores cores = find_cores(c);
  EXPECT_EQ(cores.all, std::vector<int>{first});
  EXPECT_EQ(cores.compute, std::vector<int>{first});
  EXPECT_EQ(cores.sharing, c.size());  // all are bound to the same one
  EXPECT_EQ(cores.per_rank, 1);
  EXPECT_EQ(cores.comm_core, -1);
}

}  // namespace
}  // namespace spmv::test
