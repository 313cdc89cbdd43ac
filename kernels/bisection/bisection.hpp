// BiELL and BiJAD [Wang 2020, sect. 2.3.3 and 2.3.5], after [Zheng 2014]: slices of 32 rows in descending
// order of length, each cut into groups by bisection. The first group holds all rows up to the length of the
// 17th, one thread a row; the next the rest of the 16 longest up to the length of the 9th, two threads a row;
// and so on to the rest of the longest row, for which all 32 threads work. BiELL sorts within slices, so rows
// stay near where they were; BiJAD sorts all rows, so slices have less padding.
#pragma once

#include <array>
#include <vector>

#include "kernels/format.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

inline constexpr int bisection_groups = 6;  // of 32, 16, 8, 4, 2 and 1 rows

using SliceLengths = std::array<offset, slice_rows>;  // 0 for rows that the last slice lacks

/// Steps of the warp that multiplies a slice of rows of these lengths, in descending order. Pure.
offset bisection_steps(const SliceLengths& length);

/// Group g > 0 of a slice holds its first 32 >> g rows from the length of row 32 >> g on. Of every 32
/// elements that stand together, number i belongs to row i % (32 >> g): the threads of a row take its
/// elements in turn. Padding holds value 0 and column 0 and is never read.
template <class T>
struct Bisection {
  std::vector<offset> group_start;  // bisection_groups per slice, and the end: multiples of 32
  std::vector<lidx> row_length;     // rows
  std::vector<lidx> col;
  std::vector<T> value;
};

/// Throws Error(internal) if a row is longer than the one before it in its slice.
template <class T>
Bisection<T> build_bisection(const Csr<T>& block);

template <class T>
struct BisectionView {
  using Value = T;
  lidx rows;
  const offset* group_start;
  const lidx* row_length;
  const lidx* col;
  const T* value;
  const lidx* row_list;
  float kept_share = 0;  // CUDA: see read_once.hpp
};

template <class T>
void multiply_host(const BisectionView<T>& a, const T* x, T* y, Update update);

/// biell and bijad.
template <class T>
std::vector<Format<T>> bisection_formats();

}  // namespace spmv
