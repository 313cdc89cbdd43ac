// What ELLPACK, ELLPACK-R, PELLR, JAD, pJDS and SELL-C-sigma share: neighbouring rows side by side, so that
// neighbouring threads or SIMD lanes read neighbouring elements. They differ in the window in which rows are
// sorted by length (sorted_rows()), in where element j of row i lies (a placement's at()), and ELLPACK keeps no row
// lengths: it marks padding instead. A host loop takes a chunk of rows, which are neighbours in every placement.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "core/csr.hpp"
#include "kernels/columns/chunks.hpp"
#include "kernels/format.hpp"
#include "kernels/parts/block_source.hpp"
#include "kernels/parts/device_arrays.hpp"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/multivector.hpp"
#include "kernels/parts/row_threads.hpp"
#include "kernels/parts/x_loads.hpp"

namespace spmv {

/// One stored column after the other, each `stride` elements long.
struct Strided {
  offset stride;
  constexpr offset at(offset row, lidx j) const { return j * stride + row; }
  static constexpr int host_chunk_rows() { return most_chunk_rows; }
};

/// One stored column after the other; column j has an element of every row longer than j.
struct Jagged {
  const offset* col_start;
  constexpr offset at(offset row, lidx j) const { return col_start[j] + row; }
  static constexpr int host_chunk_rows() { return most_chunk_rows; }
};

/// Slices of 2^log2_rows rows one after the other, each column by column.
struct Sliced {
  const offset* slice_ptr;
  int log2_rows;
  constexpr offset at(offset row, lidx j) const {
    const offset in_slice = row & ((offset{1} << log2_rows) - 1);
    return slice_ptr[row >> log2_rows] + (static_cast<offset>(j) << log2_rows) + in_slice;
  }
  constexpr int host_chunk_rows() const {
    return (1 << log2_rows) < most_chunk_rows ? 1 << log2_rows : most_chunk_rows;
  }
};

/// Marks padding of formats that do not keep row lengths.
inline constexpr lidx no_col = -1;

template <class T, class PlacementType>
struct ColumnsView {
  using Value = T;
  using Placement = PlacementType;
  lidx rows;
  Placement placement;
  lidx width;              // of every row where row_length is nullptr: padding is marked by no_col
  const lidx* row_length;  // or nullptr
  const lidx* col;
  const T* value;
  const lidx* row_list;
  const offset* chunk_ptr;  // host: nonzeros before every chunk of rows; nullptr on CUDA
  int threads_per_row;      // CUDA
  int threads_per_block;
  int unroll;
  float kept_share = 0;  // CUDA: see read_once.hpp
};

template <class T>
using StridedView = ColumnsView<T, Strided>;
template <class T>
using JaggedView = ColumnsView<T, Jagged>;
template <class T>
using SlicedView = ColumnsView<T, Sliced>;

template <class T, class Placement>
inline constexpr bool fuses_with_exchange<ColumnsView<T, Placement>> = true;
/// Both must mark padding, or neither: a kernel finds the ends of rows in one way. A block without rows fits any other.
template <class T, class Placement>
bool can_fuse(const ColumnsView<T, Placement>& interior, const ColumnsView<T, Placement>& boundary) {
  return interior.rows == 0 || boundary.rows == 0 ||
         (interior.row_length == nullptr) == (boundary.row_length == nullptr);
}

/// CUDA: threads of a thread block.
inline constexpr int columns_block_threads = 128;

/// Elements of a row whose loads are in flight together, for rows of this mean length.
int columns_unroll(lidx rows, offset nonzeros);

/// See format_operator.hpp.
template <class T, class Placement>
bool set_launch(ColumnsView<T, Placement>& view, const FormatOptions& options, const Footprint& footprint) {
  view.threads_per_row = options.threads_per_row > 0
                             ? options.threads_per_row
                             : side_by_side_threads_per_row(view.rows, footprint.nonzeros);
  view.threads_per_block = threads_of_a_block(options, columns_block_threads);
  view.unroll = options.unroll > 0 ? options.unroll : columns_unroll(view.rows, footprint.nonzeros);
  return true;
}
template <class T, class Placement>
void get_launch(const ColumnsView<T, Placement>& view, FormatOptions& options) {
  options.threads_per_row = view.threads_per_row;
  options.threads_per_block = view.threads_per_block;
  options.unroll = view.unroll;
}

/// Stores the elements of a block where a placement wants them. Fill the arrays with padding first: value 0 in column 0, or
/// in no_col where the format keeps no row lengths.
template <class T, class Placement>
struct ColumnsFill {
  BlockSource<T> from;
  Placement placement;
  lidx* col;
  T* value;
};
template <class T>
using StridedFill = ColumnsFill<T, Strided>;
template <class T>
using JaggedFill = ColumnsFill<T, Jagged>;
template <class T>
using SlicedFill = ColumnsFill<T, Sliced>;

template <class Fill>
void fill_host(const Fill& fill);

/// `by_gathers`: how x is loaded; the result has the same bits.
template <class View, class Placement = typename View::Placement>
void multiply_host(const View& a, const typename View::Value* x, typename View::Value* y, Update update,
                   bool by_gathers = std::is_same_v<Placement, Sliced> ? gathers_pay()
                                                                       : gathers_pay_far_apart());

template <class T, class Placement>
inline constexpr bool multiplies_columns<ColumnsView<T, Placement>> = true;
template <class T, class Placement>
inline constexpr bool sums_its_columns<ColumnsView<T, Placement>> = true;
template <class View, class Placement = typename View::Placement>
void multiply_columns_host(const View& a, const typename View::Value* x, typename View::Value* y, int k,
                           Update update);

/// As Format::make, of ellpack_r.
template <class T>
std::unique_ptr<LocalOperator<T>> make_ellpack_r(const BuildRequest<T>& request);

/// ellpack, ellpack_r, jad, pellr, pjds and sell.
template <class T>
std::vector<Format<T>> columns_formats();

}  // namespace spmv
