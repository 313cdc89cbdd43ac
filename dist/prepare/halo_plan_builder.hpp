#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "comm/halo_plan.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// Exchanges which elements of x the ranks need of each other. `cols`: who owns which elements of x. `ghosts`: ids that this
/// rank needs, ascending, as from number_columns(). send_index is in the owner's natural order; see renumber(). Collective.
HaloPlan build_halo_plan(const Communicator& communicator, const RowPartition& cols,
                         const std::vector<gidx>& ghosts);

/// The plan for a rank whose owned element i lies at position[i]; an empty position changes nothing. Pure.
HaloPlan renumber(HaloPlan plan, const std::vector<lidx>& position);

}  // namespace spmv
