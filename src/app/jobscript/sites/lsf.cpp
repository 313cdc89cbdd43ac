#include "app/jobscript/sites/lsf.hpp"

#include <fmt/format.h>

namespace spmv {
namespace {

/// Times are hours and minutes: what is left of a minute is given up.
std::string lsf_directives(const JobRequest& r) {
  std::string text = fmt::format("#BSUB -J {}\n#BSUB -o %J.log\n#BSUB -W {:02}:{:02}\n#BSUB -n {}\n", r.name,
                                 r.hours, r.minutes, r.nodes * r.ranks_per_node);
  text += fmt::format("#BSUB -R \"span[ptile={}] affinity[core({})]\"\n#BSUB -x\n", r.ranks_per_node,
                      r.cores_per_rank);
  if (r.gpus_per_node > 0) text += fmt::format("#BSUB -gpu \"num={}:mode=shared\"\n", r.gpus_per_node);
  if (!r.account.empty()) text += fmt::format("#BSUB -P {}\n", r.account);
  if (!r.queue.empty()) text += fmt::format("#BSUB -q {}\n", r.queue);
  return text;
}

}  // namespace

const Site lsf_site = {.name = "lsf",
                       .summary = "bsub < FILE; runs are mpirun's, which must know LSF",
                       .directives = lsf_directives,
                       .folder = "cd -- \"$LS_SUBCWD\"\n",
                       .launcher = "mpirun"};

}  // namespace spmv
