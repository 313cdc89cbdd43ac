// What ELLPACK, ELLPACK-R, PELLR, JAD, pJDS and SELL-C-sigma share: neighbouring rows side by side, so that
// neighbouring threads or SIMD lanes read neighbouring elements. They differ in two things only, the window
// in which rows are sorted by length (sorted_rows()) and where element j of row i lies (a layout's at()).
// Rows of a host chunk are neighbours in every layout.
#pragma once

#include <memory>
#include <vector>

#include "core/csr.hpp"
#include "kernels/columns/chunks.hpp"
#include "kernels/device_arrays.hpp"
#include "kernels/fused.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// One column after the other, each `stride` elements long.
struct Strided {
  offset stride;
  constexpr offset at(offset row, lidx j) const { return j * stride + row; }
  constexpr int chunk_rows() const { return most_chunk_rows; }
};

/// One column after the other, each as long as there are rows that reach it.
struct Jagged {
  const offset* col_start;
  constexpr offset at(offset row, lidx j) const { return col_start[j] + row; }
  constexpr int chunk_rows() const { return most_chunk_rows; }
};

/// Slices of 2^log2_rows rows one after the other, each column by column.
struct Sliced {
  const offset* slice_ptr;
  int log2_rows;
  constexpr offset at(offset row, lidx j) const {
    const offset in_slice = row & ((offset{1} << log2_rows) - 1);
    return slice_ptr[row >> log2_rows] + (static_cast<offset>(j) << log2_rows) + in_slice;
  }
  constexpr int chunk_rows() const {
    return (1 << log2_rows) < most_chunk_rows ? 1 << log2_rows : most_chunk_rows;
  }
};

/// Marks padding of formats that do not keep row lengths.
inline constexpr lidx no_col = -1;

template <class T, class LayoutType>
struct ColumnsView {
  using Value = T;
  using Layout = LayoutType;
  lidx rows;
  Layout layout;
  lidx width;              // of every row where row_length is nullptr: padding is marked by no_col
  const lidx* row_length;  // or nullptr
  const lidx* col;
  const T* value;
  const lidx* row_list;
  const offset* chunk_ptr;  // host: nonzeros before every chunk of rows; nullptr on CUDA
  int threads_per_row;      // CUDA
  int threads_per_block;
  int unroll;
};

template <class T, class Layout>
inline constexpr bool fuses_with_exchange<ColumnsView<T, Layout>> = true;
/// Padding that is marked is read for all rows: formats that do not keep row lengths stay apart.
template <class T, class Layout>
bool can_fuse(const ColumnsView<T, Layout>& view) {
  return view.row_length != nullptr;
}

/// Rows by descending length within windows of `window` rows, rows of one length in their old order so that
/// neighbours keep sharing x. Empty, which means as they are, for a window of 1.
template <class T>
std::vector<lidx> sorted_rows(const Csr<T>& block, lidx window);

/// Threads that share a row where there are too few rows to fill a GPU with one thread each.
int columns_threads_per_row(lidx rows, offset nonzeros);

/// Elements of a row whose loads are in flight together, for rows of this mean length.
int columns_unroll(lidx rows, offset nonzeros);

// A plan says where a layout puts the elements of one block:
//   Layout                      its type
//   stored                      elements with padding
//   bytes()                     of the layout's own arrays
//   place(DeviceArrays&)        moves these arrays to the device and makes the layout

/// Every column has all rows, rounded up to whole warps.
struct StridedPlan {
  using Layout = Strided;
  offset stored = 0;
  offset stride = 0;
  std::size_t bytes() const { return 0; }
  Layout place(DeviceArrays&) const { return {stride}; }
};
template <class T>
StridedPlan plan_strided(const Csr<T>& block);

/// Blocks of block_rows rows are padded to their longest row. Throws Error(usage) if block_rows < 1,
/// Error(internal) if a block of rows is longer than the one before it.
struct JaggedPlan {
  using Layout = Jagged;
  offset stored = 0;
  std::vector<offset>
      col_start;  // one per column. 64 bits, where [Kreutzer 2012] has 32: those end at 51 GB of doubles
  std::size_t bytes() const { return col_start.size() * sizeof(offset); }
  Layout place(DeviceArrays& arrays) const { return {arrays.add(col_start)}; }
};
template <class T>
JaggedPlan plan_jagged(const Csr<T>& block, lidx block_rows);

/// Slices of chunk_rows rows are as wide as their longest row. Throws Error(usage) unless chunk_rows is a
/// power of two.
struct SlicedPlan {
  using Layout = Sliced;
  offset stored = 0;
  std::vector<offset> slice_ptr;  // slices + 1
  int log2_rows = 0;
  std::size_t bytes() const { return slice_ptr.size() * sizeof(offset); }
  Layout place(DeviceArrays& arrays) const { return {arrays.add(slice_ptr), log2_rows}; }
};
template <class T>
SlicedPlan plan_sliced(const Csr<T>& block, lidx chunk_rows);

/// What a format built on columns says of itself.
struct ColumnsFormat {
  const char* name;
  const char* instead;        // what to use when it does not fit, such as "use format csr"
  bool keeps_lengths = true;  // false: padding is marked, and read
};

/// The operator on `block` where `plan` puts its elements. They are moved there on the device, from a copy of
/// the block. Throws as Format::make.
template <class T, class Plan>
std::unique_ptr<LocalOperator<T>> make_columns(const ColumnsFormat& format, const Csr<T>& block,
                                               const Plan& plan, const std::vector<lidx>& row_list,
                                               const FormatOptions& options,
                                               const std::shared_ptr<Backend>& backend);

/// Cost of a format of `stored` elements whose rows are sorted within windows of `window` rows.
Cost columns_cost(const Analysis& analysis, const FormatOptions& options, double stored, lidx window);

/// Puts the elements of a device copy of a block where a layout wants them; padding becomes value 0 in column
/// 0, or no_col where the format keeps no lengths, before that.
template <class T, class Layout>
struct ColumnsFill {
  lidx rows;
  Layout layout;
  const offset* row_ptr;
  const lidx* from_col;
  const T* from_value;
  lidx* col;
  T* value;
};
template <class T, class Layout>
void fill_host(const ColumnsFill<T, Layout>& fill);

template <class T, class Layout>
void multiply_host(const ColumnsView<T, Layout>& a, const T* x, T* y, Update update);

}  // namespace spmv
