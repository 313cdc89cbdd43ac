#include "comm/place/cores.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <sched.h>

#include "comm/place/near_cores.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// The calling thread's affinity, restored at the end.
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
  const Communicator& c = world();
  const Cores cores = find_cores(c);
  EXPECT_EQ(static_cast<int>(cores.all.size()), CPU_COUNT(&guard.mask()));
  for (const int core : cores.all) EXPECT_TRUE(CPU_ISSET(core, &guard.mask()));
  EXPECT_GE(cores.sharing, 1);
  EXPECT_LE(cores.sharing, c.size());
  EXPECT_EQ(cores.per_rank, std::max(1, static_cast<int>(cores.all.size()) / cores.sharing));
}

TEST(Cores, EveryCommunicationThreadHasItsOwn) {
  const AffinityGuard guard;
  const Communicator& c = world();
  const Cores cores = find_cores(c);
  EXPECT_EQ(cores.comm_core >= 0, cores.per_rank >= 2);
  EXPECT_TRUE(cores.comm_core < 0 || CPU_ISSET(cores.comm_core, &guard.mask()));
  const auto all = c.all_gather(cores.comm_core);
  EXPECT_TRUE(cores.comm_core < 0 || std::count(all.begin(), all.end(), cores.comm_core) == 1);
  for (const int core : cores.compute) EXPECT_EQ(std::count(all.begin(), all.end(), core), 0);
  EXPECT_FALSE(cores.compute.empty());
}

// Two communication threads on one physical core would slow each other down.
TEST(Cores, CommunicationThreadsLieApart) {
  const AffinityGuard guard;
  const Communicator& c = world();
  const Cores cores = find_cores(c);
  if (cores.sharing < c.size() || cores.per_rank < 2) return;  // bound by the launcher, or too few
  std::vector<int> all = c.all_gather(cores.comm_core);
  std::sort(all.begin(), all.end());
  for (std::size_t r = 1; r < all.size(); ++r) {
    const auto first = std::find(cores.all.begin(), cores.all.end(), all[r - 1]);
    const auto second = std::find(cores.all.begin(), cores.all.end(), all[r]);
    EXPECT_GE(second - first, cores.per_rank) << all[r - 1] << " and " << all[r];
  }
}

TEST(Cores, ARankBoundToOneCoreHasNoneToSpare) {
  const AffinityGuard guard;
  const Communicator& c = world();
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
  EXPECT_EQ(cores.sharing, c.size());  // all ranks are bound to the same core
  EXPECT_EQ(cores.per_rank, 1);
  EXPECT_EQ(cores.comm_core, -1);
}

// Cores near the device come first, and still no two ranks share one.
TEST(Cores, NearTheDevice) {
  const AffinityGuard guard;
  const Communicator& c = world();
  std::vector<int> mine;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &guard.mask())) mine.push_back(core);
  const Cores near_first = find_cores(c, {mine.front()});
  EXPECT_FALSE(near_first.far);
  const auto all = c.all_gather(near_first.comm_core);
  if (near_first.per_rank >= 2) {
    EXPECT_EQ(std::count(all.begin(), all.end(), near_first.comm_core), 1);
    if (c.size() == near_first.sharing) {
      EXPECT_EQ(all[0], mine.front()) << "the first rank gets the near core";
    }
  }
  EXPECT_EQ(find_cores(c, mine).comm_core, find_cores(c).comm_core)
      << "if all cores are near, the device makes no difference";
  const Cores away = find_cores(c, {CPU_SETSIZE - 1});  // no core of any mask
  EXPECT_EQ(away.far, !CPU_ISSET(CPU_SETSIZE - 1, &guard.mask()));
  EXPECT_EQ(away.comm_core, find_cores(c).comm_core);
}

TEST(Cores, NearADevice) {
  EXPECT_TRUE(cores_near("").empty());
  EXPECT_TRUE(cores_near("ffff:ff:1f.7").empty());
  EXPECT_TRUE(cores_near("no address").empty());
  const std::filesystem::path devices = "/sys/bus/pci/devices";
  if (!std::filesystem::exists(devices)) return;
  for (const auto& device : std::filesystem::directory_iterator(devices))
    for (const int core : cores_near(device.path().filename())) {
      EXPECT_GE(core, 0);
      EXPECT_LT(core, CPU_SETSIZE);
    }
}

}  // namespace
}  // namespace spmv::test
