// Data lines of a Matrix Market file to entries. Comments and blank lines may stand between them. Local.
#pragma once

#include <string_view>
#include <vector>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "io/matrix_market_header.hpp"

namespace spmv {

/// Passes over `count` data lines or to the end of `lines`, counting down. Returns where it stopped.
const char* skip_data_lines(std::string_view lines, gidx& count);

/// Parses at most `limit` data lines of `lines`, which must be whole, and appends them to `entries`;
/// coordinate layout with mirror images, array layout with ids still 0. Returns the number of data lines.
/// Adds to `beyond` the number of whole values that are beyond 2^53. Throws ParseFault. A complex file needs a
/// complex T.
template <class T>
gidx parse_data_lines(std::string_view lines, gidx limit, const MatrixMarketHeader& header,
                      std::vector<Entry<T>>& entries, gidx& beyond);

}  // namespace spmv
