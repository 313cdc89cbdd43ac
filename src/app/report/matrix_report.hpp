// What a run's report says of the matrix that was built.
#pragma once

#include <string>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "comm/halo_plan.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// How evenly the rows are spread, and what has to be exchanged. Collective.
template <class T>
PartitionStats partition_stats(const Communicator& communicator, const DistributedRows<T>& rows,
                               const HaloPlan& plan);

/// What the formats of this matrix store. Collective.
template <class T>
FootprintStats footprint_stats(const Communicator& communicator, const DistMatrix<T>& matrix);

/// The model of the rank that needs longest; `mine` is this rank's bandwidth. Collective.
template <class T>
Model slowest_model(const Communicator& communicator, const DistributedRows<T>& rows, const HaloPlan& plan,
                    bool vectors_on_host, const Bandwidth& mine);

/// "csr" where all ranks have it, otherwise how many have which, the most common first: "sell (3 of 4 ranks),
/// csr (1)". Collective; the text is rank 0's.
std::string over_ranks(const Communicator& communicator, const std::string& mine);

}  // namespace spmv
