// Slices that consist of heads alone and have the same heads as many others, such as those of a stencil on a grid. The heads
// of each kind are kept once, with columns counted from the slice's first row, and slices of one kind are multiplied
// together, so that a head is read once for all of them. Slices of other kinds are listed, and multiplied one by one.
//
//   slices     A B B C A B ? C A B B C        kinds ("patterns") of a grid whose lines are four slices long
//   groups     A A A .   B B B B   B . . .   C C C .
//   others     ?
//
// Where lines of a grid are whole slices long, the slices of a group are those of neighbouring lines if possible, a chain: it is
// the same number of rows, the stride, from each to the next. Three diagonals a stride apart, a triple, then multiply the same
// elements of x:
//
//   slices of a chain                     0    1    2    3
//   elements that a lane multiplies  0    1    2    3    4    5     diagonals -stride, 0, +stride: six loads for twelve elements
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "kernels/packed/slice.hpp"

namespace spmv {

inline constexpr int most_slices_of_group = 4;
/// Fewer are multiplied with others of their pattern, wherever these are.
inline constexpr int least_slices_of_chain = 3;

/// Slices of one pattern, which a warp multiplies together. Twenty-four bytes.
struct alignas(8) SliceGroup {
  static constexpr lidx none = -1;
  lidx slice[most_slices_of_group] = {none, none, none, none};
  std::uint32_t head_at = 0;  // of the pattern
  std::uint32_t shape = 0;

  /// triples: of a chain, else 0. is_whole: there is a slice in every place, and in all of them every lane
  /// has an element on every diagonal.
  static constexpr std::uint32_t shape_of(lidx width, lidx triples, bool is_whole) {
    return static_cast<std::uint32_t>(width) << 16 | static_cast<std::uint32_t>(triples) << 1 |
           (is_whole ? 1u : 0u);
  }
  constexpr lidx width() const { return static_cast<lidx>(shape >> 16); }
  /// Heads 0, 1 and 2 of the pattern are the first triple, and so on; all heads of a triple have the same lanes.
  constexpr lidx triples() const { return static_cast<lidx>(shape >> 1 & 0x7fffu); }
  constexpr bool is_whole() const { return (shape & 1u) != 0; }
};

template <class T>
struct Patterns {
  std::vector<Head<T>>
      head;  // of all patterns, triples first; base: column minus row, of the elements of a diagonal
  std::vector<SliceGroup> group;  // in the order of their first slices
  std::vector<lidx> other;        // slices that are in no group, ascending
};

/// Whether heads are all there is of a slice: it is diagonals of constant values. Pure.
inline bool has_heads_only(const Slice& slice) {
  return slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant;
}

/// Of the heads of all slices so large a share must be those of slices in groups.
inline constexpr double least_grouped_share = 0.75;

/// The patterns that stand for most of the slices, whose heads `heads` are, as far as these have at most `most_heads`
/// heads together. Every slice is in one group or another one. Empty where groups would have less than
/// least_grouped_share of all heads. Pure.
template <class T>
Patterns<T> find_patterns(const std::vector<Slice>& slices, const std::vector<Head<T>>& heads,
                          std::size_t most_heads);

}  // namespace spmv
