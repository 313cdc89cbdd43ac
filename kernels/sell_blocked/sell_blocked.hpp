// SELL of b x b blocks, with short columns and short values (kernels/packed).
#pragma once

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
Format<T> sell_blocked_format();

}  // namespace spmv
