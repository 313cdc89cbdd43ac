#pragma once

#include <string>
#include <vector>

namespace spmv {

/// What the user asks of command jobscript beside the study, which is as for command scale.
struct JobOptions {
  std::string site;
  int nodes = 1;
  int gpus_per_node = 0;
  std::string time = "01:00:00";  // hours:minutes:seconds
  std::string name = "spmv_scaling";
  std::string account;               // empty: the user's usual one
  std::string queue;                 // likewise; Slurm calls it partition
  std::vector<std::string> modules;  // environment modules to load
};

}  // namespace spmv
