#include "dist/partition/metis.hpp"
#include "dist/partition/metis_groups.hpp"
#include "dist/partition/nonzeros.hpp"
#include "dist/partition/rows.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

const std::vector<Partitioner>& partitioners() {
  static const std::vector<Partitioner> table = {
      {.name = "metis",
       .summary = "k-way partition of the symmetrised pattern, balanced by nonzeros (METIS)",
       .assign = assign_by_metis,
       .gathers_pattern = true},
      {.name = "metis_groups",
       .summary = "the same for groups of 32 neighbouring rows: grids in their natural order",
       .assign = assign_by_metis_groups,
       .gathers_pattern = true},
      {.name = "nonzeros", .summary = "contiguous rows, balanced by nonzeros", .assign = assign_by_nonzeros},
      {.name = "rows", .summary = "contiguous rows, balanced by rows", .assign = assign_by_rows},
  };
  return table;
}

}  // namespace spmv
