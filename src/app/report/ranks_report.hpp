// What a matrix would be on other numbers of ranks, and on another machine.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_parts.hpp"
#include "dist/machine/iteration_time.hpp"

namespace spmv {

/// So many ranks.
struct RanksOutlook {
  int ranks = 1;
  std::string partitioner;
  std::string reason;  // for a choice, or from where the partition was read
  std::vector<PartShare> shares;
  ModeTimes times;
  IterationTimes iteration;  // in the fastest mode; only if the report has a solver
};

struct RanksReport : MatrixFacts {
  Machine machine;
  ModeTimes alone;     // all of it on one rank
  std::string solver;  // whose iterations are predicted; empty: none
  IterationTimes iteration_alone;
  double load_s = 0;
  double partition_s = 0;  // of all numbers of ranks together
  std::vector<RanksOutlook> outlooks;
};

/// For people. Pure.
std::string to_text(const RanksReport& report);

/// Everything, with the share of every rank, as one JSON object. Pure.
std::string to_json(const RanksReport& report);

}  // namespace spmv
