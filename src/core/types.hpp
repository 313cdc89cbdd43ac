// The widths of every index in the project, fixed once: no template carries an index type.
#pragma once

#include <cstdint>

namespace spmv {

using gidx = std::int64_t;    // global row or column id
using lidx = std::int32_t;    // row or column id inside one rank's block; checked before it is narrowed
using offset = std::int64_t;  // position of a nonzero inside a rank's arrays

/// Most columns that a multivector may have.
inline constexpr int most_columns = 32;

}  // namespace spmv
