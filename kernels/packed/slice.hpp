// How a slice of the packed formats is described: the kinds of columns and values, and where its streams lie.
//
//           slice column   0    1    2   ...
//   lane  0              [ a    b    c     ]   heads: one per slice column, what its elements share
//   lane  1              [ d    e          ]   col:   one short distance per element, or none
//   ...                                        value: one number, half or full value per element, or none
//   lane 31              [ f    g    h     ]
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/types.hpp"
#include "kernels/parts/half_size.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/parts/value_kind.hpp"

namespace spmv {

/// How a slice stores its columns, distances being from the least of the slice column.
enum class ColumnKind : std::uint8_t {
  diagonals,   // slice columns are diagonals: base + lane, in those lanes that have an element there
  distance8,   // 8 bits
  distance16,  // 16 bits
  full,        // 32 bits, no distance
};

/// The greatest distances that the kinds hold.
inline constexpr lidx most_distance8 = std::numeric_limits<std::uint8_t>::max();
inline constexpr lidx most_distance16 = std::numeric_limits<std::uint16_t>::max();

/// Bytes of an element's column.
constexpr offset column_bytes(ColumnKind kind) {
  return kind == ColumnKind::diagonals    ? 0
         : kind == ColumnKind::distance8  ? sizeof(std::uint8_t)
         : kind == ColumnKind::distance16 ? sizeof(std::uint16_t)
                                          : sizeof(lidx);
}

/// A slice of more diagonals than this, or of more than w + w / 4 + 1 where its longest row has w elements,
/// is stored in another kind; so is one whose rows do not have the diagonals in one order.
inline constexpr int most_diagonals = 64;

/// Where a slice's heads and streams begin, and its shape. Sixteen bytes, so that one load brings it: all
/// else that a product loads waits for this.
struct Slice {
  static constexpr offset unit = 32;  // bytes; both streams of every slice begin at a multiple
  static constexpr lidx most_width = (1 << 27) - 1;

  std::uint32_t head_at = 0;   // first of width() heads
  std::uint32_t col_at = 0;    // units
  std::uint32_t value_at = 0;  // units
  std::uint32_t shape = 0;

  /// even: the slice has all its 32 rows, and these are of one length.
  static constexpr std::uint32_t shape_of(lidx width, ColumnKind columns, ValueKind values, bool even) {
    return static_cast<std::uint32_t>(width) << 5 | (even ? 16u : 0u) |
           static_cast<std::uint32_t>(values) << 2 | static_cast<std::uint32_t>(columns);
  }
  /// Slice columns: diagonals, or elements of the longest row.
  constexpr lidx width() const { return static_cast<lidx>(shape >> 5); }
  constexpr bool even() const { return (shape & 16u) != 0; }
  constexpr ValueKind values() const { return static_cast<ValueKind>(shape >> 2 & 3u); }
  constexpr ColumnKind columns() const { return static_cast<ColumnKind>(shape & 3u); }
  constexpr offset col_begin() const { return col_at * unit; }
  constexpr offset value_begin() const { return value_at * unit; }
};

/// What the elements of one slice column share.
template <class T>
struct alignas(16) Head {
  lidx base = 0;            // least column, or for diagonals the column that lane 0 has or would have
  std::uint32_t lanes = 0;  // diagonals: bit l: lane l has an element
  alignas(sizeof(T) > 8 ? 16 : 8) T value{};  // of all lanes, for ValueKind::constant
};
/// sizeof(Head) for values of so many bytes.
constexpr std::size_t head_bytes(std::size_t value_bytes) {
  return value_bytes > 8 ? sizeof(Head<std::complex<double>>) : sizeof(Head<double>);
}

// Where element j of a lane is, in units of its size. Distances and dictionary numbers of four neighbouring
// elements of a row lie together, so that one load brings four.
constexpr offset lone_at(offset j, int lane) {
  return j * slice_rows + lane;
}
constexpr offset grouped_at(offset j, int lane) {
  return (j / 4 * slice_rows + lane) * 4 + j % 4;
}
/// Elements of a lane in grouped storage: `width` in whole groups.
constexpr offset grouped_width(offset width) {
  return (width + 3) / 4 * 4;
}

/// Bytes of a slice's columns, padding included.
constexpr offset col_bytes(ColumnKind kind, offset width) {
  return (kind == ColumnKind::full ? width : grouped_width(width)) * slice_rows * column_bytes(kind);
}
/// Bytes of a slice's values, padding included.
template <class T>
constexpr offset value_bytes(ValueKind kind, offset width, int b) {
  const offset elements = width * b * b * slice_rows;
  return kind == ValueKind::constant     ? 0
         : kind == ValueKind::dictionary ? (b == 1 ? grouped_width(width) * slice_rows : elements)
         : kind == ValueKind::half       ? elements * static_cast<offset>(sizeof(typename HalfOf<T>::Type))
                                         : elements * static_cast<offset>(sizeof(T));
}

}  // namespace spmv
