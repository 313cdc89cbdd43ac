#include <algorithm>

#include "dist/partition/assign.hpp"

namespace spmv {

const std::vector<Partitioner>& partitioners() {
  static const std::vector<Partitioner> table = {
      {.name = "auto",
       .summary =
           "contiguous rows, or METIS if it is predicted to save time in --products products; says why",
       .assign = assign_by_auto,
       .gathers_pattern = true},
      {.name = "metis",
       .summary = "k-way partition of the symmetrised pattern, balanced by nonzeros (METIS)",
       .assign = assign_by_metis,
       .gathers_pattern = true,
       .worth_keeping = true},
      {.name = "metis_groups",
       .summary = "the same for groups of 32 neighbouring rows: grids in their natural order",
       .assign = assign_by_metis_groups,
       .gathers_pattern = true,
       .worth_keeping = true},
      {.name = "nonzeros", .summary = "contiguous rows, balanced by nonzeros", .assign = assign_by_nonzeros},
      {.name = "rows", .summary = "contiguous rows, balanced by rows", .assign = assign_by_rows},
      {.name = "scotch",
       .summary =
           "the same kind of partition as metis, made by all ranks together: no rank holds the graph (PT-Scotch)",
       .assign = assign_by_scotch,
       .missing = scotch_missing,
       .worth_keeping = true},
  };
  return table;
}

void require_built(const Partitioner& partitioner) {
  if (partitioner.missing != nullptr)
    throw AgreedError(ExitCode::environment,
                      std::string("--partition ") + partitioner.name + ": " + partitioner.missing);
}

const ReadyPartition* find_ready(const PartitionRequest& request, std::string_view partitioner) {
  const auto found =
      std::find_if(request.ready.begin(), request.ready.end(),
                   [=](const ReadyPartition& ready) { return ready.partitioner == partitioner; });
  return found == request.ready.end() ? nullptr : &*found;
}

}  // namespace spmv
