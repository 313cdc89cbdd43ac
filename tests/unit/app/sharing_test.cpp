// Which ranks share a GPU or cores, judged from facts about their machines, and what the reports say about
// it.
#include "comm/place/sharing.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/report/report.hpp"
#include "app/report/sharing_words.hpp"
#include "core/this_machine.hpp"
#include "support/example_report.hpp"

namespace spmv::test {
namespace {

using Hosts = std::vector<std::string>;
using Numbers = std::vector<int>;

RankPlace on(const std::string& host, const std::string& boot, const Numbers& cores,
             const std::string& gpu = "", bool mps = false) {
  return {host, boot, cores, gpu, mps};
}

TEST(Sharing, OneRankForEachGpuSharesNothing) {
  EXPECT_TRUE(shared_gpus({}).empty());
  EXPECT_TRUE(shared_gpus({on("a", "1", {0}), on("a", "1", {0})}).empty())
      << "ranks without a GPU share none";
  EXPECT_TRUE(shared_gpus({on("a", "1", {0}, "GPU-0"), on("a", "1", {0}, "GPU-1")}).empty());
  EXPECT_TRUE(shared_gpus({on("a", "1", {0}, "GPU-0"), on("b", "2", {0}, "GPU-0")}).empty())
      << "GPUs of different machines may have the same id";
}

TEST(Sharing, RanksThatTakeOneGpu) {
  const std::vector<SharedGpu> shared =
      shared_gpus({on("a", "1", {0}, "GPU-0"), on("a", "1", {1}, "GPU-1"), on("a", "1", {2}, "GPU-0"),
                   on("a", "1", {3}, "GPU-1"), on("c", "2", {0}, "GPU-2")});
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0].gpu, "GPU-0");
  EXPECT_EQ(shared[0].ranks, (Numbers{0, 2}));
  EXPECT_EQ(shared[0].hosts, Hosts{"a"});
  EXPECT_EQ(shared[1].ranks, (Numbers{1, 3}));
  EXPECT_FALSE(shared[1].mps);
}

// Containers on one machine: different host names, the same kernel and GPU.
TEST(Sharing, ContainersThatSeeOneGpu) {
  const std::vector<SharedGpu> shared =
      shared_gpus({on("a", "1", {0}, "GPU-0", true), on("b", "1", {1}, "GPU-0", true)});
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_EQ(shared[0].hosts, (Hosts{"a", "b"}));
  EXPECT_TRUE(shared[0].mps);
  EXPECT_FALSE(shared_gpus({on("a", "1", {0}, "GPU-0", true), on("b", "1", {1}, "GPU-0")})[0].mps)
      << "one of them does not use MPS";
}

TEST(Sharing, AKernelThatDoesNotTellItsNameIsItsHost) {
  EXPECT_TRUE(same_machine(on("a", "", {}), on("a", "", {})));
  EXPECT_FALSE(same_machine(on("a", "", {}), on("b", "", {})));
  EXPECT_EQ(shared_gpus({on("a", "", {0}, "GPU-0"), on("a", "", {1}, "GPU-0")}).size(), 1u);
  EXPECT_TRUE(cores_of_several_hosts({on("a", "", {0, 1}), on("b", "", {0, 1})}).empty());
}

TEST(Sharing, HostsOfOneMachineOnTheSameCores) {
  const std::vector<SharedCores> shared = cores_of_several_hosts(
      {on("a", "1", {0, 1, 2, 3}), on("a", "1", {4, 5}), on("b", "1", {2, 3, 6}), on("c", "2", {2, 3})});
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_EQ(shared[0].hosts, (Hosts{"a", "b"}));
  EXPECT_EQ(shared[0].ranks, (Numbers{0, 2}));
  EXPECT_EQ(shared[0].cores, (Numbers{2, 3}));
}

TEST(Sharing, CoresThatNoOtherHostUses) {
  EXPECT_TRUE(cores_of_several_hosts({on("a", "1", {0, 1}), on("b", "1", {2, 3})}).empty())
      << "separate cores";
  EXPECT_TRUE(cores_of_several_hosts({on("a", "1", {0, 1}), on("b", "2", {0, 1})}).empty()) << "two machines";
  EXPECT_TRUE(cores_of_several_hosts({on("a", "1", {0, 1}), on("a", "1", {0, 1})}).empty()) << "one host";
}

TEST(Sharing, TheKernelTellsItsName) {
  if (!std::filesystem::exists("/proc/sys/kernel/random/boot_id"))
    GTEST_SKIP() << "this system has no boot_id";
  EXPECT_EQ(boot_id().size(), 36u) << boot_id();
}

TEST(Sharing, ThePipeOfMps) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "spmv_mps_pipe_test";
  std::filesystem::create_directories(folder);
  const char* const set = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const std::string before = set != nullptr ? set : "";
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder.c_str(), 1);
  EXPECT_FALSE(finds_mps_pipe());
  std::ofstream(folder / "control") << "";
  EXPECT_TRUE(finds_mps_pipe());
  if (set != nullptr)
    setenv("CUDA_MPS_PIPE_DIRECTORY", before.c_str(), 1);
  else
    unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  std::filesystem::remove_all(folder);
}

TEST(Sharing, Words) {
  EXPECT_EQ(gpu_sharing({}), "");
  EXPECT_EQ(core_sharing({}), "");
  const SharedGpu first{"GPU-0", {0, 2}, {"a"}, false}, second{"GPU-1", {1, 3}, {"a"}, false};
  EXPECT_EQ(
      gpu_sharing({first, second}),
      "4 ranks share 2 GPUs by time slices: while one computes, the others wait; start one rank for each GPU, "
      "or MPS (nvidia-cuda-mps-control -d)");
  SharedGpu beside = first;
  beside.mps = true;
  EXPECT_EQ(gpu_sharing({beside}), "2 ranks share a GPU side by side, through MPS");
  EXPECT_EQ(gpu_sharing({beside, second}).find("2 ranks share a GPU by time slices: "), 0u);
  EXPECT_NE(gpu_sharing({beside, second}).find("; 2 ranks share a GPU side by side"), std::string::npos);
  const SharedGpu of_hosts{"GPU-0", {0, 1}, {"a", "b"}, false};
  EXPECT_EQ(
      gpu_sharing({of_hosts}).find("2 ranks share a GPU (hosts a, b see the same GPU) by time slices: "), 0u);
  EXPECT_EQ(core_sharing({{{"n1", "n2"}, {0, 1}, {0, 1, 2, 3}}}),
            "n1, n2 share cores 0-3 of one machine: give each its own (taskset)");
  EXPECT_EQ(
      core_sharing({{{"a", "b", "c", "d", "e"}, {0}, {7}}, {{"x", "y"}, {5}, {1}}}),
      "a, b, c and 2 more share cores 7 of one machine, as do hosts of 1 more: give each its own (taskset)");
}

TEST(Sharing, InEveryReport) {
  RunReport report = example();
  for (const std::string& text : {to_text(report), to_verbose_text(report)})
    for (const char* word : {"\nGPUs ", "\ncores "}) EXPECT_EQ(text.find(word), std::string::npos) << text;
  report.environment.gpus = {{"NVIDIA H200", 1980, "a", "0000:17:00.0", "GPU-0"}};
  report.environment.shared_gpus = {{"GPU-0", {0, 1}, {"a"}, false}};
  report.environment.shared_cores = {{{"a", "b"}, {0, 1}, {0, 1, 2, 3}}};
  const std::string text = to_text(report), verbose = to_verbose_text(report), csv = to_csv(report);
  EXPECT_NE(text.find("\nGPUs       2 ranks share a GPU by time slices: "), std::string::npos) << text;
  EXPECT_NE(text.find("\ncores      a, b share cores 0-3 of one machine: give each its own (taskset)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(verbose.find("  GPU-0 by time slices: ranks 0, 1\n"), std::string::npos) << verbose;
  EXPECT_NE(verbose.find("  cores 0-3: ranks 0, 1\n"), std::string::npos) << verbose;
  EXPECT_NE(csv.find("2 ranks share a GPU by time slices"), std::string::npos) << csv;
  const auto environment = nlohmann::json::parse(to_json(report))["environment"];
  EXPECT_EQ(environment["gpus"][0]["uuid"], "GPU-0");
  EXPECT_EQ(environment["shared_gpus"].dump(),
            R"([{"by":"time slices","hosts":["a"],"ranks":[0,1],"uuid":"GPU-0"}])");
  EXPECT_EQ(environment["shared_cores"].dump(), R"([{"cores":"0-3","hosts":["a","b"],"ranks":[0,1]}])");
}

}  // namespace
}  // namespace spmv::test
