// CSR in tiles with short columns and short values (kernels/tiles).
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> csr_packed_format();

}  // namespace spmv
