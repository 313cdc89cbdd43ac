// The doctor's conclusions from made-up launches.
#include <gtest/gtest.h>

#include "app/commands/doctor_checks.hpp"

namespace spmv::test {
namespace {

const Launcher launcher = {"mpirun", "", "", "mpirun --bind-to none", "mpirun --map-by slot:PE=2"};

/// `ranks` ranks of one node, each with `cores` of the machine's cores.
std::vector<RankFacts> ranks_with(int ranks, int machine_cores, int cores, int sharing) {
  return std::vector<RankFacts>(
      static_cast<std::size_t>(ranks),
      {{"node1", "", {}, "", false}, machine_cores, cores, sharing, false, "", {}, {}});
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_text(finding);
  return text;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Doctor, LaunchersAndThreads) {
  EXPECT_EQ(check_launcher(launcher, 4, "").verdict, Verdict::ok);
  const Finding alone = check_launcher(launcher, 1, "the launcher started 4 tasks but MPI sees 1: use srun");
  EXPECT_EQ(alone.verdict, Verdict::problem);
  EXPECT_EQ(alone.fix, "use srun");
  EXPECT_EQ(check_threads(ThreadLevel::multiple, "MPI").verdict, Verdict::ok);
  EXPECT_EQ(check_threads(ThreadLevel::serialized, "MPI").verdict, Verdict::warning);
  EXPECT_EQ(check_threads(ThreadLevel::funneled, "MPI").verdict, Verdict::problem);
}

TEST(Doctor, Nodes) {
  std::vector<RankFacts> ranks = ranks_with(3, 8, 8, 3);
  EXPECT_EQ(to_text(check_nodes(ranks)), "ok       nodes        1 node, 3 ranks on each\n");
  ranks[0].place.host = "node2";
  EXPECT_EQ(check_nodes(ranks).verdict, Verdict::warning);
  expect_parts(to_text(check_nodes(ranks)), {"2 ranks on node1 and 1 on node2", "--ntasks-per-node"});
}

TEST(Doctor, NodesThatMpiMistakes) {
  std::vector<RankFacts> ranks = ranks_with(4, 8, 8, 2);
  const std::vector<std::vector<int>> one_node(4, {0, 1, 2, 3}), two_nodes{{0, 1}, {0, 1}, {2, 3}, {2, 3}};
  EXPECT_EQ(text_of(check_nodes_of_mpi(ranks, one_node)), "");
  ranks[2].place.host = ranks[3].place.host = "node2";
  EXPECT_EQ(text_of(check_nodes_of_mpi(ranks, two_nodes)), "");
  // As Open MPI 4.1.6 with PMIx 5.0.1 says it.
  expect_parts(text_of(check_nodes_of_mpi(ranks, {{0, 2, 3}, {1, 2, 3}, {2, 3}, {2, 3}})),
               {"warning", "of ranks 0 and 1: on node1, it takes ranks 0, 2 and 3 for those of rank 0",
                "its own PMIx"});
  // Containers of one machine.
  for (RankFacts& rank : ranks) rank.place.boot_id = "1";
  EXPECT_EQ(text_of(check_nodes_of_mpi(ranks, two_nodes)), "");
  // Two machines whose hosts have one name.
  for (RankFacts& rank : ranks) rank.place.host = "localhost";
  ranks[2].place.boot_id = ranks[3].place.boot_id = "2";
  EXPECT_EQ(text_of(check_nodes_of_mpi(ranks, two_nodes)), "");
  expect_parts(text_of(check_nodes_of_mpi(ranks, one_node)),
               {"ranks 0, 1, 2 and 3: on localhost", "a name of its own"});
  EXPECT_EQ(to_text(check_nodes(ranks)), "ok       nodes        2 nodes, 2 ranks on each\n");
}

TEST(Doctor, Binding) {
  EXPECT_EQ(text_of(check_binding(ranks_with(2, 8, 4, 1), launcher)),
            "ok       binding      4 cores for every rank, its own\n");
  EXPECT_EQ(text_of(check_binding(ranks_with(2, 8, 8, 2), launcher)),
            "ok       binding      4 cores for every rank, of cores that they share\n");
  // mpirun binds each of two ranks to one core.
  expect_parts(text_of(check_binding(ranks_with(2, 8, 1, 1), launcher)),
               {"warning", "one core for each of ranks 0 and 1, of 8", "mpirun --bind-to none", "slot:PE=2"});
  // srun without --cpu-bind may put all tasks on the first core.
  expect_parts(text_of(check_binding(ranks_with(4, 8, 1, 4), launcher)),
               {"warning", "ranks 0, 1, 2 and 3 may use the same 1 core only, of 8", "slot:PE=2"});
  expect_parts(text_of(check_binding(ranks_with(8, 8, 1, 1), launcher)), {"node has no more", "fewer ranks"});
  expect_parts(text_of(check_binding(ranks_with(9, 4, 4, 9), launcher)),
               {"ranks 0, 1, 2, 3, 4, 5, 6, 7 and 1 more share node1's 4 cores", "fewer ranks"});
  std::vector<RankFacts> apart = ranks_with(2, 8, 4, 1);
  apart[1].far = true;
  expect_parts(text_of(check_binding(apart, launcher)), {"no core near its GPU: rank 1;", "--bind-to none"});
}

TEST(Doctor, Gpus) {
  std::vector<RankFacts> ranks = ranks_with(4, 64, 16, 1);
  EXPECT_EQ(text_of(check_gpus(ranks, "no driver")), "note     GPUs         no driver\n");
  // Each rank sees one GPU; two see the same one.
  const std::vector<std::string> ids = {"0000:17:00.0", "0000:17:00.0", "0000:65:00.0", "0000:ca:00.0"};
  for (std::size_t r = 0; r < 4; ++r) {
    ranks[r].device = ids[r];
    ranks[r].place.gpu = "GPU-" + ids[r];
    ranks[r].visible = {ids[r]};
  }
  const std::string shared = text_of(check_gpus(ranks, ""));
  expect_parts(
      shared,
      {"warning  GPU 0000:17:00.0 on node1: shared by ranks 0 and 1, by time slices; rank 0 sees 1 GPU",
       "fix: one rank for each GPU, or MPS", "ok       GPU 0000:ca:00.0 on node1: rank 3 alone",
       "ok       peer access  between all GPUs in use"});
  // A GPU is unused while others are shared.
  ranks[3].visible.push_back("0000:e3:00.0");
  expect_parts(text_of(check_gpus(ranks, "")), {"warning  GPU 0000:17:00.0", "are idle"});
  ranks[2].unreachable = {"the driver allows no access to GPU 0000:17:00.0"};
  expect_parts(text_of(check_gpus(ranks, "")), {"note     peer access  rank 2: the driver allows no access"});
  ranks[1].visible.clear();
  ranks[1].device.clear();
  ranks[1].place.gpu.clear();
  expect_parts(text_of(check_gpus(ranks, "no usable GPU")),
               {"problem  GPUs         no GPU for rank 1, while"});
}

// Containers on one machine: the same kernel, different host names.
TEST(Doctor, HostsThatAreOneMachine) {
  std::vector<RankFacts> ranks = ranks_with(2, 8, 8, 2);
  EXPECT_TRUE(check_shared_cores(ranks).empty());
  for (std::size_t r = 0; r < 2; ++r) {
    ranks[r].place = {r == 0 ? "a" : "b", "boot", {0, 1, 2, 3}, "GPU-0", true};
    ranks[r].device = "0000:17:00.0";
    ranks[r].visible = {ranks[r].device};
  }
  expect_parts(
      text_of(check_shared_cores(ranks)),
      {"warning  binding      hosts a, b are one machine, and may use the same cores 0-3", "taskset"});
  expect_parts(text_of(check_gpus(ranks, "")),
               {"note     GPU 0000:17:00.0 on a, b: shared by ranks 0 and 1, by MPS"});
  ranks[1].place.boot_id = "another";
  EXPECT_TRUE(check_shared_cores(ranks).empty());
  expect_parts(text_of(check_gpus(ranks, "")), {"on a: rank 0 alone", "on b: rank 1 alone"});
}

TEST(Doctor, Calibration) {
  EXPECT_EQ(check_calibration(true, true, "file").verdict, Verdict::ok);
  expect_parts(text_of({check_calibration(false, true, "file")}),
               {"note     calibration  that in file is of another processor", "spmv_dist calibrate"});
  expect_parts(text_of({check_calibration(false, false, "file")}),
               {"note     calibration  none is kept", "spmv_dist calibrate"});
}

TEST(Doctor, Transports) {
  const TransportReport fine = {"shm", "", true, 2e-6, 10e9, 1e-4, false};
  const TransportReport closed = {"nccl", "no GPU"};
  const TransportReport broken = {"staged", "brought wrong data", true};
  expect_parts(
      text_of(check_transports({fine, closed, broken})),
      {"ok       shm          8 B in 2.0 us, 1 MiB to every neighbour in 100.0 us, 10.0 GB/s",
       "note     nccl         refused: no GPU", "warning  staged       refused: brought wrong data"});
  EXPECT_EQ(check_transports({closed, broken}).back().verdict, Verdict::problem);
  EXPECT_TRUE(check_transports({}).empty());
}

}  // namespace
}  // namespace spmv::test
