// The text of Matrix Market files, in pieces. Everything here is Local.
#pragma once

#include <string>

#include "core/csr.hpp"

namespace spmv {

/// Banner, comment and size line of a general coordinate file with real or complex values. Line ends in `comment` become
/// blanks.
std::string matrix_market_head(const Shape& shape, gidx nonzeros, bool complex, const std::string& comment);

/// The data lines of some rows, in their order. Values have the fewest digits (at most 17) from which a reader gets the same
/// double; values of type float, too.
template <class T>
std::string matrix_market_lines(const RowBlock<T>& rows);

}  // namespace spmv
