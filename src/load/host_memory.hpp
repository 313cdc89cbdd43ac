#pragma once

#include "comm/communicator.hpp"
#include "core/csr.hpp"

namespace spmv {

/// Refuses a matrix that cannot fit the host, before anything large is allocated. Collective; throws
/// AgreedError(memory).
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros);

}  // namespace spmv
