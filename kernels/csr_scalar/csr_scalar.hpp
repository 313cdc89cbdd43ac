// CSR with one thread per row [Wang 2020, sect. 2.2, CSR scalar]: neighbouring threads read far from each other, so
// every load brings in more than it wants. For short rows, and as the measure of what the others gain.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> csr_scalar_format();

}  // namespace spmv
