#include "app/scale/launchers.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/place/cores.hpp"
#include "core/error.hpp"
#include "core/names_in.hpp"
#include "core/number.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

/// The number that a variable of a batch system begins with, such as 4 of "4(x2)"; 0: it has none.
int begin_of(const char* name) {
  const auto found = leading_number<int>(variable(name));
  return found ? std::max(0, found->number) : 0;
}

bool in_path(const std::string& program) {
  const std::string folders = variable("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

bool in_batch_job() {
  return !(variable("SLURM_JOB_ID") + variable("PBS_JOBID") + variable("LSB_JOBID")).empty();
}

/// Cores that this process may use, threads of one core counted once.
int usable_cores() {
  std::set<std::string> cores;
  for (const int cpu : own_cores()) {
    std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string siblings{std::istreambuf_iterator<char>(in), {}};
    cores.insert(siblings.empty() ? std::to_string(cpu) : siblings);
  }
  return std::max(1, static_cast<int>(cores.size()));
}

/// GPUs of this node, as NVIDIA's driver lists them.
int gpus_of_node() {
  return static_cast<int>(names_in("/proc/driver/nvidia/gpus").size());
}

std::vector<std::string> mpirun_words(int ranks, const LaunchSettings& settings) {
  std::vector<std::string> words = {"mpirun", "-np", std::to_string(ranks)};
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  // A batch system has dealt out the cores; another MPI library's mpirun has other words for it, and other defaults.
  if (settings.options.empty() && settings.cores_per_rank >= 1 && !in_batch_job() &&
      MpiSession::library().starts_with("Open MPI"))
    for (const std::string& word :
         {std::string("--map-by"), fmt::format("slot:PE={}", settings.cores_per_rank),
          std::string("--bind-to"), std::string("core")})
      words.push_back(word);
  return words;
}

std::vector<std::string> srun_words(int ranks, const LaunchSettings& settings) {
  const int per_node = settings.ranks_per_node;
  const std::string plugin = variable("SPMV_SRUN_MPI");
  // All GPUs of a node stay visible to all its ranks: the program shares them out, and peers can map each other's memory, which
  // --gpus-per-task would prevent. After an error that all ranks agree on they leave one after the other: none is killed for ten
  // seconds, so that the step's exit code is theirs.
  std::vector<std::string> words = {"srun",
                                    "--mpi=" + (plugin.empty() ? "pmix" : plugin),
                                    "--kill-on-bad-exit=0",
                                    "--wait=10",
                                    fmt::format("--ntasks={}", ranks),
                                    fmt::format("--nodes={}", (ranks + per_node - 1) / per_node),
                                    fmt::format("--ntasks-per-node={}", per_node),
                                    fmt::format("--cpus-per-task={}", std::max(1, settings.cores_per_rank))};
  if (settings.options.empty()) {
    words.emplace_back("--cpu-bind=cores");
    words.emplace_back("--distribution=block:block");
  }
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  return words;
}

std::string why_no_mpirun() {
  return in_path("mpirun") ? "" : "mpirun is not in PATH: install or load an MPI, or choose --launcher";
}

std::string why_no_srun() {
  if (!in_path("srun")) return "srun is not in PATH: choose --launcher mpirun";
  if (variable("SLURM_JOB_NUM_NODES").empty())
    return "--launcher srun works inside an allocation: submit what spmv_dist jobscript --site slurm writes";
  return "";
}

}  // namespace

const std::vector<RunLauncher>& run_launchers() {
  static const std::vector<RunLauncher> table = {
      {"mpirun", "of the MPI library that this program was built with", mpirun_words, why_no_mpirun},
      {"srun", "inside an allocation of Slurm, with PMIx, or what SPMV_SRUN_MPI names", srun_words,
       why_no_srun},
  };
  return table;
}

const RunLauncher& find_run_launcher(const std::string& name) {
  const bool automatic = name == "auto";
  const RunLauncher& launcher = pick(
      run_launchers(), automatic ? (why_no_srun().empty() ? "srun" : "mpirun") : name.c_str(), "launcher");
  if (const std::string reason = launcher.why_unusable(); !reason.empty())
    throw Error(ExitCode::environment, reason);
  return launcher;
}

LaunchSettings launch_settings(const ScaleOptions& options, const RunLauncher& launcher, int largest) {
  LaunchSettings settings;
  settings.options = options.launcher_options;
  const bool allocated = std::string_view(launcher.name) == "srun";
  settings.ranks_per_node = options.ranks_per_node;
  if (settings.ranks_per_node == 0)
    settings.ranks_per_node = std::max(1, allocated ? begin_of("SLURM_NTASKS_PER_NODE") : largest);
  settings.cores_per_rank = options.cores_per_rank;
  if (settings.cores_per_rank == 0 && allocated)
    settings.cores_per_rank = begin_of("SLURM_CPUS_PER_TASK") > 0
                                  ? begin_of("SLURM_CPUS_PER_TASK")
                                  : begin_of("SLURM_CPUS_ON_NODE") / settings.ranks_per_node;
  else if (settings.cores_per_rank == 0)
    settings.cores_per_rank = usable_cores() / std::min(largest, settings.ranks_per_node);
  return settings;
}

std::vector<int> usual_ranks(const ScaleOptions& options, const RunLauncher& launcher) {
  int most = gpus_of_node() > 0 ? gpus_of_node() : usable_cores();
  if (std::string_view(launcher.name) == "srun")
    most =
        std::max(1, begin_of("SLURM_JOB_NUM_NODES")) *
        std::max(1, options.ranks_per_node > 0 ? options.ranks_per_node : begin_of("SLURM_NTASKS_PER_NODE"));
  std::vector<int> ranks;
  for (int n = 1; n <= most; n *= 2) ranks.push_back(n);
  return ranks;
}

}  // namespace spmv
