// Levels of a hierarchy by BoomerAMG of hypre, where the build has it.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/solve/coarse_level.hpp"

namespace spmv::hypre {

/// Whether the build has hypre; it is loaded when levels are made.
bool is_there();

struct LevelOptions {
  int unknowns = 1;  // of each grid point, whose original rows follow each other: 3 for displacements
  double strong =
      0.25;  // an element couples two rows if it is larger than so much of the row's largest; systems in space: 0.5
};

/// The coarser levels of a symmetric matrix with positive definite elements, from fine to coarse; none if it is small. `rows`
/// stay. The coarsest has some 1000 rows, or fewer where the matrix is small: it is inverted, and further levels would take
/// longer. Collective; throws AgreedError: environment without hypre, input for a matrix with more rows or elements than
/// hypre's integers count, or for which it fails.
std::vector<CoarseLevel<double>> make_levels(const Communicator& communicator,
                                             const DistributedRows<double>& rows,
                                             const LevelOptions& options);

}  // namespace spmv::hypre
