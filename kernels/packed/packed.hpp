// SELL in as few bytes as the matrix needs, without losing a bit: b x b blocks with one column index (b = 1:
// single elements), columns as short distances, values by number or in half their size. Every slice of 32
// block rows takes the shortest kind that holds all of it. sell_packed is this with b = 1, sell_blocked with
// b > 1. What a slice looks like is in slice.hpp, how it is found in pack.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/packed/patterns.hpp"
#include "kernels/packed/slice.hpp"
#include "kernels/parts/block_covers.hpp"
#include "kernels/parts/block_source.hpp"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/multivector.hpp"
#include "kernels/parts/x_loads.hpp"

namespace spmv {

/// The arrays of a packed block, for kernels. All pointers are device memory.
template <class T>
struct PackedView {
  using Value = T;
  lidx rows;
  lidx cols;
  int b;
  lidx block_rows;  // rows / b, rounded up
  lidx slices;
  const Slice* slice;          // of every 32 block rows
  const Head<T>* head;         // those of a slice begin at Slice::head_at
  const unsigned char* col;    // stream of short columns; a slice's part begins at Slice::col_begin()
  const unsigned char* value;  // stream of short values; at Slice::value_begin()
  const T* dictionary;         // of the whole block, for ValueKind::dictionary
  const lidx* row_length;      // elements of every block row
  const lidx* row_list;
  const offset* slice_elements;  // host: elements before every slice, and all; nullptr on CUDA
  bool only_heads;               // every slice is diagonals of constant values: heads are all there is
  bool holes;                    // some elements of some blocks are hole<T>()
  const SliceGroup* group;       // CUDA, where most slices are of few patterns; else nullptr
  lidx groups;
  const lidx* other;  // slices that are in no group
  lidx others;
  const Head<T>* pattern;  // heads of all patterns
  int pattern_heads;
  int threads_per_row;  // CUDA: warps that share a slice
  int threads_per_block;
  float kept_share = 0;  // CUDA: see read_once.hpp
};

/// CUDA: slices from which on they are multiplied in groups, by one thread a row: fewer groups would leave most of a GPU
/// without work. Options that ask for one thread a row get groups of any number of slices. Pure.
lidx least_grouped_slices(const FormatOptions& options);

/// CUDA: warps that share a slice, of elements or of blocks of b x b. Pure.
int packed_threads_per_row(lidx block_rows, offset elements, int b);

/// CUDA: threads of a thread block whose slices are neither grouped nor heads alone, with so many warps for a slice: small
/// blocks are faster, but hold no more than four warps. Pure.
inline int packed_block_threads(int threads_per_row) {
  constexpr int few = 128;
  return threads_per_row * slice_rows <= few ? few : usual_block_threads;
}

/// See format_operator.hpp. Which slices are grouped is decided as they are packed.
template <class T>
bool set_launch(PackedView<T>& view, const FormatOptions& options, const Footprint& footprint) {
  const offset elements = view.slices == 0 ? 0 : footprint.stored_elements / (offset{view.b} * view.b);
  view.threads_per_row = options.threads_per_row > 0
                             ? options.threads_per_row
                             : packed_threads_per_row(view.block_rows, elements, view.b);
  const bool by_heads = view.group != nullptr || view.only_heads;
  view.threads_per_block = threads_of_a_block(
      options, by_heads ? usual_block_threads : packed_block_threads(view.threads_per_row));
  return true;
}
template <class T>
void get_launch(const PackedView<T>& view, FormatOptions& options) {
  options.threads_per_row = view.threads_per_row;
  options.threads_per_block = view.threads_per_block;
}

template <class T>
inline constexpr bool fuses_with_exchange<PackedView<T>> = true;
template <class T>
inline constexpr bool sums_its_rows<PackedView<T>> = true;
/// A kernel is made for blocks of one size. Pure.
template <class T>
bool can_fuse(const PackedView<T>& interior, const PackedView<T>& boundary) {
  return interior.b == boundary.b;
}

/// Whether a kernel leaves few parts of the sums of this view's rows: its thread blocks go through many slices, or there are
/// few. Pure.
template <class T>
bool can_sum(const PackedView<T>& view) {
  // Of both operators of a product and of their boundary blocks together, at most most_parts (combine/scalars.hpp). Some
  // kernels take smaller thread blocks than the view asks for, but none smaller than this.
  constexpr offset few = 1900, fewest_threads = 256;
  const offset threads = static_cast<offset>(view.slices) * view.threads_per_row * warp_size;
  const offset block = std::min<offset>(view.threads_per_block, fewest_threads);
  const offset blocks = (threads + block - 1) / block;
  return view.group != nullptr || view.only_heads || blocks <= few;
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

/// Stands where a block has no nonzero: a NaN that no product reads. Of these bits; complex values have them
/// in both parts.
template <class T>
T hole();
inline constexpr std::uint32_t hole_bits_of_float = 0x7fe5a5a5u;
inline constexpr std::uint64_t hole_bits_of_double = 0x7ffca5a5a5a5a5a5u;

/// The pattern of the block, its rows in this order, covered with aligned b x b blocks, the places without a nonzero filled
/// with hole(). Throws Error(input) if a nonzero is a hole(), Error(usage) unless 1 <= b <= most_entry_block. OpenMP.
template <class T>
Elements<T> cover_with_blocks(const Csr<T>& block, int b, const RowOrder& order = {});

/// The b from least_entry_block to most_entry_block whose blocks need least bytes. Pure.
int best_entry_block(const std::vector<BlockCover>& covers, std::size_t value_bytes);

/// Row order for slices of blocks: every b rows that form a block row stay together, and block rows are
/// sorted by length within windows of sigma rows. Pure.
template <class T>
std::vector<lidx> packed_row_order(const Csr<T>& block, int b, lidx sigma);

/// `by_gathers`: how x is loaded where b is 1; the result has the same bits.
template <class T>
void multiply_host(const PackedView<T>& a, const T* x, T* y, Update update, bool by_gathers = gathers_pay());

template <class T>
inline constexpr bool multiplies_columns<PackedView<T>> = true;
template <class T>
void multiply_columns_host(const PackedView<T>& a, const T* x, T* y, int k, Update update);

/// sell_packed and sell_blocked.
template <class T>
std::vector<Format<T>> packed_formats();

// Steps of packing, on the device. All pointers are device memory but where the device is the host.

template <class T>
struct PackSource {
  BlockSource<T> from;  // its rows are block rows, of its elements each has b x b values
  int b = 1;
  const T* dictionary = nullptr;  // sorted by bits; `dictionary_size` 0: there is none
  int dictionary_size = 0;
};

/// `missing`, which is 0, becomes 1 if the dictionary, sorted and not empty, lacks a value.
template <class T>
struct FindMissing {
  offset count;
  const T* value;
  const T* dictionary;
  int size;
  unsigned* missing;
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
