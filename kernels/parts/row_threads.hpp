#pragma once

#include "core/types.hpp"

namespace spmv {

/// CUDA: threads that share a row of a format whose neighbouring rows lie side by side. Pure.
///
/// More than one where a GPU would have too few threads in flight to hide what its loads take; but threads that share a row
/// have to add up their sums, and each needs a batch of elements. Measured on an H200, thirteen matrices: two for each of
/// 47,000 to 156,000 rows are up to a third faster than one, and a quarter faster than four or eight.
int side_by_side_threads_per_row(lidx rows, offset elements);

}  // namespace spmv
