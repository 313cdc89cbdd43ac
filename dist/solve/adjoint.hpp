// The adjoint of a distributed matrix.
#pragma once

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// This rank's rows of P^H, whose owners are `rows`. Collective.
template <class T>
RowBlock<T> adjoint(const Communicator& communicator, const RowBlock<T>& P, const RowPartition& rows);

}  // namespace spmv
