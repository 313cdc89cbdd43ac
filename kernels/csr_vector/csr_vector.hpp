// CSR with several threads per row: CRS(vector) of [Vazquez 2011, sect. 3.4], where a whole warp takes a row, and CSR
// vector of [Wang 2020, sect. 2.2], where half a warp does. Here T threads, 2 to 32.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

/// T: the option if there is one, else what suits the mean row length; at least 2.
int csr_vector_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options);

template <class T>
Format<T> csr_vector_format();

}  // namespace spmv
