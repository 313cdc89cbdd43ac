// Jagged diagonals, JAD [Wang 2020, sect. 2.3.5]: all rows sorted by descending length, then the j-th elements of
// all rows that have one make a diagonal. No padding, and no diagonal starts at a multiple of anything.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> jad_format();

}  // namespace spmv
