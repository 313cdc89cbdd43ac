#pragma once

#include "comm/communicator.hpp"
#include "core/csr.hpp"

namespace spmv {

/// Refuses a matrix that cannot fit the host, before anything large is allocated: what its rows, in plain CSR
/// and in the best order of a file of entries, need on the ranks of this node. Collective; throws
/// AgreedError(memory).
template <class T>
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros, bool from_file);

}  // namespace spmv
