// SELL-C-sigma, the common successor of sliced ELLPACK and pJDS: rows sorted by descending length within
// windows of sigma rows, slices of C rows as wide as their longest row, stored one after the other. sigma = 1
// leaves the rows as they are; C = b_r and sigma = all rows is pJDS but for the order of the elements.
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> sell_format();

}  // namespace spmv
