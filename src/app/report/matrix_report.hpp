// What a run's report says of the matrix that was built.
#pragma once

#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// Adds what this matrix's formats cost to find; of the `first` one also what they are, and partition,
/// footprint and model: those of the run. Collective.
template <class T>
void report_matrix(const Communicator& communicator, const Options& options, const DistributedRows<T>& rows,
                   const DistMatrix<T>& matrix, const Bandwidth& my_bandwidth, bool first, RunReport& report);

}  // namespace spmv
