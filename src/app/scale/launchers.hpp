// How the runs of a study are started. The table in launchers.cpp has a row for each launcher.
#pragma once

#include <string>
#include <vector>

#include "app/scale/scale_options.hpp"

namespace spmv {

/// What is the same for all runs of a study.
struct LaunchSettings {
  int cores_per_rank = 0;            // 0: ranks share cores
  int ranks_per_node = 1;            // where the launcher wants to know
  std::vector<std::string> options;  // the user's, in the place of the binding
};

/// Table row: a launcher by name.
struct RunLauncher {
  const char* name;
  const char* summary;
  /// The words before those of the program.
  std::vector<std::string> (*words)(int ranks, const LaunchSettings& settings);
  /// Empty, or why it cannot be used here, and the mend.
  std::string (*why_unusable)();
};

const std::vector<RunLauncher>& run_launchers();

/// The launcher that the options name; auto: srun in a Slurm allocation, else mpirun. Throws Error(usage) for an unknown name,
/// Error(environment) for one that cannot be used here. Local.
const RunLauncher& find_run_launcher(const std::string& name);

/// What is the same for all runs, with defaults from the allocation and this machine; `largest`: number of ranks. Throws Error(environment). Local.
LaunchSettings launch_settings(const ScaleOptions& options, const RunLauncher& launcher, int largest);

/// Powers of two up to the ranks of the allocation, or of this node's GPUs, or its cores. Local.
std::vector<int> usual_ranks(const ScaleOptions& options, const RunLauncher& launcher);

}  // namespace spmv
