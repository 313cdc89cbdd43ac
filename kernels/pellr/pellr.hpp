// PELLR [Wang 2020, sect. 3]: ELLPACK-R with all rows sorted by descending length, so that the rows of a warp end
// together. Its storage is still as wide as the longest row.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> pellr_format();

}  // namespace spmv
