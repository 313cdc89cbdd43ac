// Banner and size line of a Matrix Market file. Local.
#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "io/text.hpp"

namespace spmv {

/// What banner and size line say. Plain data: may be sent as bytes.
struct MatrixMarketHeader {
  enum class Layout { coordinate, array };
  enum class Field { real, integer, pattern, complex };
  enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

  Layout layout = Layout::coordinate;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  gidx rows = 0;  // at most largest_size
  gidx cols = 0;
  gidx stored =
      0;  // entries (coordinate) or values (array) that the file must hold; may be wrong: allocate nothing by it
  gidx size_line = 0;            // 1-based number of the size line
  std::uint64_t data_begin = 0;  // first byte after the size line, counted in unpacked bytes
  std::uint64_t file_bytes = 0;
  bool compressed = false;
};

/// Throws Error(input).
MatrixMarketHeader read_header(const Text& text);

/// Throws Error(input) unless `total_stored`, the number of data lines in all parts, is what the size line says.
void check_total(const Text& text, const MatrixMarketHeader& header, gidx total_stored);

}  // namespace spmv
