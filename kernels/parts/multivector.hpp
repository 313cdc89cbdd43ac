// Products with several vectors at once: multivectors of k columns, stored by rows, so that a row's k values lie together.
// Element i of column j is x[i * k + j].
#pragma once

namespace spmv {

/// Whether there are kernels for this View that multiply k columns and read the block once for all of them. A format that has
/// them sets this beside its view, declares multiply_columns_host() and instantiates it and launch_columns_cuda().
template <class View>
inline constexpr bool multiplies_columns = false;

}  // namespace spmv
