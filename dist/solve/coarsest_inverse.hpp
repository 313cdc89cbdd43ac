// The inverse of the coarsest level of a hierarchy.
#pragma once

#include <cstddef>

#include "dist/prepare/redistribute.hpp"
#include "dist/solve/coarse_level.hpp"

namespace spmv {

/// The inverse of A of a level, rows and columns on the ranks of `owners`. `leaves_out_constants`: A is hermitian, positive
/// semidefinite and may be singular, as where the finest level maps constant vectors to 0. Then it is the inverse of A + s 1 1^H,
/// which is positive definite unless A w = 0 for a w whose elements sum up to 0, and which solves A x = f wherever there is a
/// solution: w^H f = 0 makes 1^H x = 0. One row alone is 0 but for rounding, and its inverse is 0. Rank 0 computes it, so that all
/// ranks have rows of the same matrix. Collective; throws AgreedError(input) if the level has more than `most` rows or no such
/// inverse.
template <class T>
DistributedRows<T> coarsest_inverse(const Communicator& communicator, const CoarseLevel<T>& level,
                                    std::size_t number, gidx most, bool leaves_out_constants,
                                    const RowPartition& owners);

}  // namespace spmv
