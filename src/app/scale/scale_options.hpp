#pragma once

#include <string>
#include <vector>

namespace spmv {

/// What the user asks of command scale beside what is in Options.
struct ScaleOptions {
  std::vector<int> ranks;  // empty: powers of two
  std::vector<std::string> formats = {"auto"};
  std::vector<std::string> partitions = {"auto"};
  bool weak = false;                      // the matrix grows with the ranks
  std::string results = "scaling.jsonl";  // file of the points
  std::string keep_runs;                  // folder for what --json of every run has written; empty: none
  std::string program;                    // that every run starts; empty: this one
  std::string launcher = "auto";
  std::vector<std::string> launcher_options;  // words; they replace the binding that is chosen otherwise
  int cores_per_rank = 0;                     // 0: cores over the largest number of ranks
  int ranks_per_node = 0;                     // 0: as the allocation has it
  double run_limit = 0;                       // seconds, of one run; 0: none
  bool only_tell = false;                     // what would be run
  std::vector<std::string> words;             // the matrix, unless one is generated, and options of every run
};

}  // namespace spmv
