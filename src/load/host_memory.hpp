#pragma once

#include "comm/communicator.hpp"
#include "core/csr.hpp"

namespace spmv {

/// Refuses a matrix that cannot fit the memory of this node, before anything large is allocated. The estimate is for plain
/// CSR and, `from_file`, for entries that are sorted by row. Collective; throws AgreedError(memory).
template <class T>
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros, bool from_file);

}  // namespace spmv
