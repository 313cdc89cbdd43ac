// ELLPACK-R [Vazquez 2011, sect. 4], [Kreutzer 2012, Listing 1]: ELLPACK with the true length of every row, so that no product
// touches padding. With T threads per row as well (ELLR-T).
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> ellpack_r_format();

}  // namespace spmv
