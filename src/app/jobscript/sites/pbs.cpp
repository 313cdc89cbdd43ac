#include "app/jobscript/sites/pbs.hpp"

#include <fmt/format.h>

namespace spmv {
namespace {

std::string pbs_directives(const JobRequest& r) {
  std::string text =
      fmt::format("#PBS -S /bin/bash\n#PBS -N {}\n#PBS -j oe\n#PBS -l walltime={:02}:{:02}:{:02}\n", r.name,
                  r.hours, r.minutes, r.seconds);
  text += fmt::format("#PBS -l select={}:ncpus={}:mpiprocs={}", r.nodes, r.ranks_per_node * r.cores_per_rank,
                      r.ranks_per_node);
  if (r.gpus_per_node > 0) text += fmt::format(":ngpus={}", r.gpus_per_node);
  text += "\n#PBS -l place=scatter:excl\n";
  if (!r.account.empty()) text += fmt::format("#PBS -A {}\n", r.account);
  if (!r.queue.empty()) text += fmt::format("#PBS -q {}\n", r.queue);
  return text;
}

}  // namespace

const Site pbs_site = {.name = "pbs",
                       .summary = "qsub FILE; runs are mpirun's, which must know PBS",
                       .directives = pbs_directives,
                       .folder = "cd -- \"$PBS_O_WORKDIR\"\n",
                       .launcher = "mpirun"};

}  // namespace spmv
