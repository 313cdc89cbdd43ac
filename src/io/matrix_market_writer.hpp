// The text of Matrix Market files, piece by piece. Everything here is Local.
#pragma once

#include <string>

#include "core/csr.hpp"

namespace spmv {

/// Banner, a comment and the size line of a coordinate file, general, whose values are real or complex. Line
/// ends in `comment` become blanks.
std::string matrix_market_head(const Shape& shape, gidx nonzeros, bool complex, const std::string& comment);

/// The data lines of some rows, in their order. Values have as many digits as it takes to get the same bits
/// back from a reader of double precision, 17 at most: also those of float.
template <class T>
std::string matrix_market_lines(const RowBlock<T>& rows);

}  // namespace spmv
