// One call of METIS, of the right width and silent.
#pragma once

#include <vector>

#include "dist/graph.hpp"
#include "dist/partition/metis_library/metis_library.hpp"

namespace spmv {

struct MetisRequest {
  enum class Way { kway, recursive };
  Way way;
  idx_t parts;
  int seed;
  idx_t imbalance;      // by how many thousandths a part may be heavier than the mean; -1: as METIS has it
  const char* who;      // begins messages, such as "--partition metis"
  const char* instead;  // ends them: what the user can do without METIS
};

/// The part of each vertex. Prints nothing, and calls METIS only for more vertices than parts. Throws Error: environment
/// where METIS is missing or has another idx_t than this was built for, memory, internal. Local.
std::vector<idx_t> call_metis(Graph<idx_t>& graph, const MetisRequest& request);

}  // namespace spmv
