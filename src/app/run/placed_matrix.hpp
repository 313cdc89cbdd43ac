// From the user's matrix to rows on the ranks that multiply them.
#pragma once

#include <memory>
#include <vector>

#include "app/report/run_head.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "comm/choose/choose_transport.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "load/load_rows.hpp"

namespace spmv {

/// Fills in what identifies the run. Collective.
void begin_head(const Run& run, RunHead& head);

/// A matrix whose rows are where they will be multiplied.
template <class T>
struct PlacedMatrix {
  Problem<T> problem;
  Bandwidth bandwidth;  // of this rank's memory, measured while all ranks measured
};

/// Loads, partitions, moves and orders the rows, from the folder of --cache where that has them. Fills in `head`, but for its
/// PartitionStats and what is known at the end. Collective; throws AgreedError.
template <class T>
PlacedMatrix<T> place_matrix(const Run& run, const MatrixSource& source, RunHead& head);

/// What builds it, in the formats that the user wants. `tuning_bandwidth`: of that name in dist/machine/bandwidth.hpp. `sums`:
/// whether inner products follow every product, as in solvers. `format`: instead of the user's; empty: those.
template <class T>
MatrixBuilder<T> matrix_builder(const Run& run, double tuning_bandwidth, bool sums,
                                const std::string& format = {});

/// How transports are tried before one of them moves anything, within the user's time-out. `earlier_trials` gets their reports.
TransportRequest transport_request(const Run& run,
                                   const std::shared_ptr<std::vector<TransportReport>>& earlier_trials);

}  // namespace spmv
