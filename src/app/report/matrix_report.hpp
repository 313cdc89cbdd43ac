// The parts of a run's report about the matrix that was built.
#pragma once

#include <string>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "comm/halo_plan.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// Balance of the rows, and the halo. Collective.
template <class T>
PartitionStats partition_stats(const Communicator& communicator, const DistributedRows<T>& rows,
                               const HaloPlan& plan);

/// Bytes that a product moves at least on this rank: Traffic. Pure.
template <class T>
double moved_bytes(const DistMatrix<T>& matrix);

/// What the formats of this matrix store. Collective.
template <class T>
FootprintStats footprint_stats(const Communicator& communicator, const DistMatrix<T>& matrix);

/// The model of the slowest rank; `mine` is this rank's bandwidth. Collective.
template <class T>
Model slowest_model(const Communicator& communicator, const DistributedRows<T>& rows, const HaloPlan& plan,
                    bool vectors_on_host, const Bandwidth& mine);

/// "csr" if all ranks have it, else the number of ranks for each, the most common first: "sell (3 of 4 ranks), csr (1)".
/// Collective; the text is rank 0's.
std::string over_ranks(const Communicator& communicator, const std::string& mine);

}  // namespace spmv
