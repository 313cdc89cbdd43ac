#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "io/text_source.hpp"

namespace spmv {

/// What banner and size line say. Plain data: may be sent as bytes.
struct MatrixMarketHeader {
  enum class Layout { coordinate, array };
  enum class Field { real, integer, pattern, complex };
  enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

  Layout layout = Layout::coordinate;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  gidx rows = 0;  // at most 10^18, so that sums of a few ids and sizes never overflow
  gidx cols = 0;
  gidx stored =
      0;  // entries (coordinate) or values (array) that the file must hold; never trust it for memory
  gidx size_line = 0;            // 1-based line of the sizes
  std::uint64_t data_begin = 0;  // first byte behind the size line, counted in unpacked bytes
  std::uint64_t file_bytes = 0;
  bool compressed = false;
};

/// Throws Error(input).
MatrixMarketHeader read_header(const Text& text);

}  // namespace spmv
