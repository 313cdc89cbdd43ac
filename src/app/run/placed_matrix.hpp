// From the user's matrix to rows on the ranks that multiply them.
#pragma once

#include "app/report/run_head.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/machine/bandwidth.hpp"
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

}  // namespace spmv
