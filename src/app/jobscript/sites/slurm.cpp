#include "app/jobscript/sites/slurm.hpp"

#include <fmt/format.h>

namespace spmv {
namespace {

/// GPUs per node and never per task, which would hide each rank's GPU from its neighbours. A minute before the time is over the script itself is
/// told, so that the run under way writes what it has.
std::string slurm_directives(const JobRequest& r) {
  std::string text = fmt::format(
      "#SBATCH --job-name={}\n#SBATCH --output=%x_%j.log\n#SBATCH --time={:02}:{:02}:{:02}\n#SBATCH --signal=B:TERM@60\n#SBATCH --nodes={}\n"
      "#SBATCH --ntasks-per-node={}\n#SBATCH --cpus-per-task={}\n#SBATCH --exclusive\n",
      r.name, r.hours, r.minutes, r.seconds, r.nodes, r.ranks_per_node, r.cores_per_rank);
  if (r.gpus_per_node > 0) text += fmt::format("#SBATCH --gpus-per-node={}\n", r.gpus_per_node);
  if (!r.account.empty()) text += fmt::format("#SBATCH --account={}\n", r.account);
  if (!r.queue.empty()) text += fmt::format("#SBATCH --partition={}\n", r.queue);
  return text;
}

}  // namespace

const Site slurm_site = {.name = "slurm",
                         .summary = "sbatch FILE; runs are steps of srun with PMIx",
                         .directives = slurm_directives,
                         .folder = "cd -- \"$SLURM_SUBMIT_DIR\"\n",
                         .launcher = "srun",
                         .binds = false};

}  // namespace spmv
