#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"
#include "io/matrix_market.hpp"

namespace spmv {

/// Refuses a file that is not general and names both an entry and its mirror image: they would be added up.
/// `rows`: any partition of the rows. Only files that name entries of both triangles cost messages between
/// ranks beyond a sum. Collective; throws AgreedError(input).
template <class T>
void require_one_triangle(const Communicator& communicator, const std::string& path,
                          const MatrixMarketHeader& header, const MatrixMarketPart<T>& part,
                          const RowPartition& rows);

}  // namespace spmv
