// Reads Matrix Market files in parts, one part a rank; a Text is made of a path, or of memory. README.md in this folder states what is accepted.
// Everything here is Local: sums over the parts are the caller's. Every failure is an Error that names the
// file, the line where there is one, the offending text and the mend.
//
//   header = read_header(text)                               on one rank or on all
//   part = read_part<T>(text, header, rank, ranks, progress)
//   check_total(text, header, sum over all parts of part.stored)
//   place(part, text, header, sum over earlier parts of part.stored)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/entry.hpp"
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

/// Some consecutive data lines of the file. Duplicates and explicit zeros are kept as they are.
template <class T>
struct MatrixMarketPart {
  std::vector<Entry<T>> entries;  // with mirror images where the file is not general
  gidx stored = 0;                // data lines, mirror images not counted
};

/// Called after every block of text with the bytes of the file used so far and their expected total. May be
/// empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Part `part` of `parts`, in the file's order: parts of equal bytes, or of equal data lines where the file
/// is compressed. Every data line is in exactly one part, whatever `parts` is. Memory grows with what the
/// part holds. Array layout: ids are not known before place(). Throws Error(input); Error(usage) when the
/// file is complex and T is not.
template <class T>
MatrixMarketPart<T> read_part(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                              const Progress& progress);

/// Throws Error(input) unless all parts together hold what the size line promises.
void check_total(const Text& text, const MatrixMarketHeader& header, gidx total_stored);

/// Array layout: gives the entries their ids and mirror images; `stored_before` data lines are in earlier
/// parts. Coordinate layout: nothing to do. To be called once, after check_total. Throws Error(input).
template <class T>
void place(MatrixMarketPart<T>& part, const Text& text, const MatrixMarketHeader& header, gidx stored_before);

}  // namespace spmv
