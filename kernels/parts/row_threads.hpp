// How many threads share a row.
#pragma once

#include "core/types.hpp"
#include "kernels/format_options.hpp"

namespace spmv {

/// CUDA: threads that share a row of a format whose neighbouring rows lie side by side. More than one where a GPU would
/// otherwise have too few threads to hide the latency of its loads; but threads that share a row have to add up their sums,
/// and each needs a batch of elements. Pure.
int side_by_side_threads_per_row(lidx rows, offset elements);

/// Threads that share a row of `nonzeros / rows` elements in CSR: the largest power of two, at most a warp, with which each
/// thread has two and a quarter elements or more in flight; five of 16 threads and 32. Fewer threads leave loads
/// uncoalesced, more leave threads idle [Bordawekar 2013], [Vazquez 2011, sect. 3.4]. Pure.
int csr_threads_per_row(lidx rows, offset nonzeros);

/// T of csr_vector: the option if there is one, else what suits the mean row length; at least 2. Pure.
int csr_vector_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options);

}  // namespace spmv
