// SELL in as few bytes as the matrix needs, without losing a bit: b x b blocks with one column index (b = 1:
// single elements), columns as short distances, values by number or in half their size. Every slice of 32
// block rows takes the shortest kind that holds all of it. sell_packed is this with b = 1, sell_blocked with
// b > 1.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "core/value_type.hpp"
#include "kernels/analysis.hpp"
#include "kernels/fused.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

inline constexpr int slice_rows = 32;
inline constexpr int most_entry_block = 6;

/// How a slice stores its columns, distances being from the least of the slice column.
enum class ColumnKind : std::uint8_t {
  diagonals,   // slice columns are diagonals: base + lane, in those lanes that have an element there
  distance8,   // 8 bits
  distance16,  // 16 bits
  full,        // 32 bits, no distance
};

/// A slice of more diagonals than this, or more than a quarter more of them than its longest row has
/// elements, is stored in another kind. Its rows must be ascending.
inline constexpr int most_diagonals = 64;

/// How a slice stores its values.
enum class ValueKind : std::uint8_t {
  constant,    // one per slice column; b = 1 only
  dictionary,  // 8-bit numbers of at most 256 values, the same ones for the whole block
  half,        // float for double; exact
  full,
};

/// A number format of half the size that some values fit exactly; T itself where there is none.
template <class T>
struct HalfOf {
  using Type = T;
};
template <>
struct HalfOf<double> {
  using Type = float;
};
template <>
struct HalfOf<std::complex<double>> {
  using Type = std::complex<float>;
};

/// Sixteen bytes, so that one load brings them: a product's first wait is for these.
struct Slice {
  static constexpr offset unit = 32;  // bytes; both streams of every slice begin at a multiple
  static constexpr lidx most_width = (1 << 27) - 1;

  std::uint32_t head_at = 0;   // first of width() heads
  std::uint32_t col_at = 0;    // units
  std::uint32_t value_at = 0;  // units
  std::uint32_t shape = 0;

  /// even: 32 rows, all as long.
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

/// Of one slice column.
template <class T>
struct alignas(16) Head {
  lidx base = 0;            // least column, or for diagonals the column that lane 0 has or would have
  std::uint32_t lanes = 0;  // diagonals: bit l: lane l has an element
  alignas(sizeof(T) > 8 ? 16 : 8) T value{};  // of all lanes, for ValueKind::constant
};

template <class T>
struct PackedView {
  using Value = T;
  lidx rows;
  lidx cols;
  int b;
  lidx block_rows;  // rows / b, rounded up
  lidx slices;
  const Slice* slice;
  const Head<T>* head;
  const unsigned char* col;
  const unsigned char* value;
  const T* dictionary;
  const lidx* row_length;  // elements of every block row
  const lidx* row_list;
  const offset* slice_elements;  // host: elements before every slice; nullptr on CUDA
  bool only_heads;               // every slice is diagonals of constant values: heads are all there is
  bool holes;                    // some elements of some blocks are hole<T>()
  int threads_per_row;           // CUDA: warps that share a slice
  int threads_per_block;
};

template <class T>
inline constexpr bool fuses_with_exchange<PackedView<T>> = true;
/// Single elements.
template <class T>
bool can_fuse(const PackedView<T>& view) {
  return view.b == 1;
}

// Where element j of a lane is, in units of its size. Distances and dictionary numbers of four neighbouring
// elements of a row lie together, so that one load brings four.
constexpr offset lone_at(offset j, int lane) {
  return j * slice_rows + lane;
}
constexpr offset grouped_at(offset j, int lane) {
  return (j / 4 * slice_rows + lane) * 4 + j % 4;
}
/// Elements of a slice row in grouped storage.
constexpr offset grouped_width(offset width) {
  return (width + 3) / 4 * 4;
}

constexpr offset col_bytes(ColumnKind kind, offset width) {
  return kind == ColumnKind::diagonals    ? 0
         : kind == ColumnKind::distance8  ? grouped_width(width) * slice_rows
         : kind == ColumnKind::distance16 ? grouped_width(width) * slice_rows * 2
                                          : width * slice_rows * 4;
}
template <class T>
constexpr offset value_bytes(ValueKind kind, offset width, int b) {
  const offset elements = width * b * b * slice_rows;
  return kind == ValueKind::constant     ? 0
         : kind == ValueKind::dictionary ? (b == 1 ? grouped_width(width) * slice_rows : elements)
         : kind == ValueKind::half       ? elements * static_cast<offset>(sizeof(typename HalfOf<T>::Type))
                                         : elements * static_cast<offset>(sizeof(T));
}

/// What is packed: for every block row its block columns, for each of these b x b values, row after row.
template <class T>
struct Elements {
  lidx rows = 0;
  lidx cols = 0;
  int b = 1;
  bool holes = false;
  std::vector<offset> row_ptr{0};
  std::vector<lidx> col;
  std::vector<T> value;

  lidx block_rows() const { return static_cast<lidx>(row_ptr.size() - 1); }
};

/// Stands where a block has no nonzero: a NaN that no product reads.
template <class T>
T hole();

/// Throws Error(input) if a nonzero is a hole().
template <class T>
Elements<T> cover_with_blocks(const Csr<T>& block, int b);

/// The b of 2 to most_entry_block whose blocks need least bytes. Pure.
int best_entry_block(const std::vector<BlockCover>& covers, std::size_t value_bytes);

/// Row order for slices of blocks: groups of b rows stay together, sorted by their length within windows of
/// sigma rows.
template <class T>
std::vector<lidx> packed_row_order(const Csr<T>& block, int b, lidx sigma);

/// The operator on `block`. Packed on the device, from a copy of the elements. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make_packed(const std::string& name, const Csr<T>& block, int b,
                                              const std::vector<lidx>& row_list, const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend);

/// Packs `block` and unpacks it again, both on the backend's device. For tests.
template <class T>
Elements<T> pack_and_unpack(const Csr<T>& block, int b, const std::shared_ptr<Backend>& backend,
                            std::vector<Slice>* slices = nullptr);

Cost packed_cost(const Analysis& analysis, const FormatOptions& options, int b);

template <class T>
void multiply_host(const PackedView<T>& a, const T* x, T* y, Update update);

// Steps of packing, on the device. All pointers are device memory but where the device is the host.

template <class T>
struct PackSource {
  lidx block_rows;
  int b;
  const offset* row_ptr;
  const lidx* col;
  const T* value;
  const T* dictionary;  // sorted by bits; `dictionary_size` 0: there is none
  int dictionary_size;
};

/// Finds the shape of every slice.
template <class T>
struct Classify {
  PackSource<T> source;
  lidx slices;
  Slice* slice;
};
/// Writes the heads of every slice.
template <class T>
struct MakeHeads {
  PackSource<T> source;
  lidx slices;
  const Slice* slice;
  Head<T>* head;
};
/// Writes every row's columns and values.
template <class T>
struct PackRows {
  PackSource<T> source;
  const Slice* slice;
  const Head<T>* head;
  unsigned char* col;
  unsigned char* value;
};
/// Reads them back, in the order of the source.
template <class T>
struct Unpack {
  PackedView<T> view;
  const offset* row_ptr;
  lidx* col;
  T* value;
};
template <class T>
void unpack_host(const Unpack<T>& unpack);

}  // namespace spmv
