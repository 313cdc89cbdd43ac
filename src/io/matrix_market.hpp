// Reads Matrix Market files in parts, one part per rank. README.md in this folder says what is accepted. Everything here is
// Local: the caller adds up numbers over the parts. Every Error names the file, the line if there is one, the text in question
// and the fix.
//
//   header = read_header(text)                               on one rank or on all
//   part = read_part<T>(text, header, rank, ranks, progress)
//   check_total(text, header, sum over all parts of part.stored)
//   place(part, text, header, sum over earlier parts of part.stored)
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "io/matrix_market_header.hpp"
#include "io/progress.hpp"

namespace spmv {

/// Some consecutive data lines of the file. Duplicates and explicit zeros are kept.
template <class T>
struct MatrixMarketPart {
  std::vector<Entry<T>> entries;  // with their mirror images if the file is not general
  gidx stored = 0;                // data lines; mirror images do not count
  gidx beyond_exact = 0;          // data lines with a whole value beyond 2^53
};

/// Part `part` of `parts`, in the order of the file: equal numbers of bytes, or of data lines if the file is compressed. Every
/// data line is in exactly one part, for every `parts`. Memory is proportional to the part. Array layout: place() sets the
/// ids. Throws Error(input), and Error(usage) if the file is complex and T is not.
template <class T>
MatrixMarketPart<T> read_part(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                              const Progress& progress);

/// Array layout: sets the ids of the entries and adds mirror images. `stored_before`: data lines in earlier parts. Coordinate
/// layout: does nothing. Call it once, after check_total(). Throws Error(input).
template <class T>
void place(MatrixMarketPart<T>& part, const Text& text, const MatrixMarketHeader& header, gidx stored_before);

/// The warning about so many whole values beyond 2^53; empty for none. Pure.
std::string rounding_warning(const std::string& path, gidx beyond_exact);

/// Numbers of entries off the diagonal in the file, without mirror images.
struct Triangles {
  gidx lower = 0;
  gidx upper = 0;
};

/// For coordinate files that are not general; zeros for other files. Such a file must not contain both an entry and its mirror
/// image, which is possible only if both numbers are above 0. Pure.
template <class T>
Triangles triangles(const MatrixMarketPart<T>& part, const MatrixMarketHeader& header);

/// The entries off the diagonal as marks in the lower triangle: (1, 0) for an entry of the lower triangle, (0, 1) for one of the
/// upper, at its mirror image. If the sum of all marks at a place has two nonzero parts, the file contains an entry and its
/// mirror image. Call it before the entries are moved. Pure.
template <class T>
std::vector<Entry<std::complex<float>>> by_triangle(const MatrixMarketPart<T>& part,
                                                    const MatrixMarketHeader& header);

/// Places of the lower triangle that are in the file together with their mirror images: their number, and the first one.
struct TwiceNamed {
  gidx pairs = 0;
  gidx row = 0;
  gidx col = 0;
};

/// Throws Error(input) if twice.pairs is not 0.
void refuse_both_triangles(const std::string& path, const MatrixMarketHeader& header,
                           const TwiceNamed& twice);

}  // namespace spmv
