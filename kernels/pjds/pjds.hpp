// Padded jagged diagonals, pJDS [Kreutzer 2012, sect. 2.1, Listing 2]: all rows sorted by descending length, blocks of
// b_r rows padded to their longest, stored column by column. Every column starts at a multiple of b_r.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> pjds_format();

}  // namespace spmv
