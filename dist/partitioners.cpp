#include "dist/partition/metis.hpp"
#include "dist/partition/metis_groups.hpp"
#include "dist/partition/nonzeros.hpp"
#include "dist/partition/rows.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

const std::vector<Partitioner>& partitioners() {
  static const std::vector<Partitioner> table = {
      {"metis", "k-way partition of the symmetrised pattern, balanced by nonzeros (METIS)", assign_by_metis},
      {"metis_groups", "the same for groups of 32 neighbouring rows: grids in their natural order",
       assign_by_metis_groups},
      {"nonzeros", "contiguous rows, balanced by nonzeros", assign_by_nonzeros},
      {"rows", "contiguous rows, balanced by rows", assign_by_rows},
  };
  return table;
}

}  // namespace spmv
