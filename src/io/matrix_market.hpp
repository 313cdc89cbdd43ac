// Reads Matrix Market files in parts, one part a rank; a Text is made of a path, or of memory. README.md in this folder states what is accepted.
// Everything here is Local: sums over the parts are the caller's. Every failure is an Error that names the
// file, the line where there is one, the offending text and the fix.
//
//   header = read_header(text)                               on one rank or on all
//   part = read_part<T>(text, header, rank, ranks, progress)
//   check_total(text, header, sum over all parts of part.stored)
//   place(part, text, header, sum over earlier parts of part.stored)
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "io/matrix_market_header.hpp"
#include "io/progress.hpp"
#include "io/text_source.hpp"

namespace spmv {

/// Some consecutive data lines of the file. Duplicates and explicit zeros are kept as they are.
template <class T>
struct MatrixMarketPart {
  std::vector<Entry<T>> entries;  // with mirror images where the file is not general
  gidx stored = 0;                // data lines, mirror images not counted
  gidx beyond_exact = 0;          // of these, whole values beyond 2^53
};

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

/// What to tell a user whose file has so many whole values beyond 2^53; empty for none. Pure.
std::string rounding_warning(const std::string& path, gidx beyond_exact);

/// Entries off the diagonal that a file names itself, without their mirror images.
struct Triangles {
  gidx lower = 0;
  gidx upper = 0;
};

/// A coordinate file that is not general holds one triangle: it does not name an entry and its mirror image
/// both. It may do so only where it names entries of both triangles. Zeros for any other file. Pure.
template <class T>
Triangles triangles(const MatrixMarketPart<T>& part, const MatrixMarketHeader& header);

/// The entries off the diagonal as marks in the lower triangle: (1, 0) of an entry that is named there,
/// (0, 1) of one whose mirror image is. The sum of the marks of all parts at a place has two parts that are
/// not 0 where an entry and its mirror image are both named. To be called before entries are moved. Pure.
template <class T>
std::vector<Entry<std::complex<float>>> by_triangle(const MatrixMarketPart<T>& part,
                                                    const MatrixMarketHeader& header);

/// Places of the lower triangle that are named with their mirror images: how many, and the first of them.
struct TwiceNamed {
  gidx pairs = 0;
  gidx row = 0;
  gidx col = 0;
};

/// Throws Error(input) if there is such a place.
void refuse_both_triangles(const std::string& path, const MatrixMarketHeader& header,
                           const TwiceNamed& twice);

}  // namespace spmv
