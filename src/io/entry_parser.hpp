// Entries from the data lines of a Matrix Market file. Comments and blank lines may be between them. Local.
#pragma once

#include <complex>
#include <string_view>
#include <vector>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "core/value_type.hpp"
#include "io/matrix_market_header.hpp"

namespace spmv {

/// Skips `count` data lines, or all of `lines`, and counts down `count`. Returns the end of the skipped lines.
const char* skip_data_lines(std::string_view lines, gidx& count);

/// Parses at most `limit` data lines of `lines`, which are whole lines, and appends their entries: with mirror images in
/// coordinate layout, with ids 0 in array layout. Adds the number of whole values beyond 2^53 to `beyond`. Returns the number
/// of data lines. Throws ParseFault. A complex file needs a complex T.
template <class T>
gidx parse_data_lines(std::string_view lines, gidx limit, const MatrixMarketHeader& header,
                      std::vector<Entry<T>>& entries, gidx& beyond);

/// The value at (j, i) for `value` at (i, j), i != j. Pure.
template <class T>
T mirrored(const T& value, MatrixMarketHeader::Symmetry symmetry) {
  if (symmetry == MatrixMarketHeader::Symmetry::skew_symmetric) return -value;
  if constexpr (is_complex<T>) {
    if (symmetry == MatrixMarketHeader::Symmetry::hermitian) return std::conj(value);
  }
  return value;
}

/// Why `value` is not allowed on the diagonal, with the fix; nullptr if it is allowed. Pure.
template <class T>
const char* why_not_on_diagonal(const T& value, MatrixMarketHeader::Symmetry symmetry) {
  if (symmetry == MatrixMarketHeader::Symmetry::skew_symmetric && value != T(0)) {
    return "a skew-symmetric matrix has a zero diagonal; drop the entry or declare the matrix general";
  }
  if constexpr (is_complex<T>) {
    if (symmetry == MatrixMarketHeader::Symmetry::hermitian && value.imag() != 0) {
      return "a hermitian matrix has a real diagonal; drop the imaginary part or declare the matrix general";
    }
  }
  return nullptr;
}

}  // namespace spmv
