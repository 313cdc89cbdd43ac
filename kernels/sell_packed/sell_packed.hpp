// SELL with short columns and short values, b = 1 (kernels/packed).
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> sell_packed_format();

}  // namespace spmv
