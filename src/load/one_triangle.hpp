#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"
#include "io/matrix_market.hpp"

namespace spmv {

/// Refuses a symmetric, skew-symmetric or hermitian file that has both an entry and its mirror image, because they would be
/// added up. `rows`: any partition of the rows. A file with entries of one triangle costs one sum over the ranks.
/// Collective; throws AgreedError(input).
template <class T>
void require_one_triangle(const Communicator& communicator, const std::string& path,
                          const MatrixMarketHeader& header, const MatrixMarketPart<T>& part,
                          const RowPartition& rows);

}  // namespace spmv
