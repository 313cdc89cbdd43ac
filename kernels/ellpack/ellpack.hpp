// ELLPACK [Vazquez 2011, sect. 3.3], [Wang 2020, sect. 2.3.1]: all rows padded to the longest, stored column by column. Every
// thread goes through the whole width; a marked column tells it where its row has nothing.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> ellpack_format();

}  // namespace spmv
