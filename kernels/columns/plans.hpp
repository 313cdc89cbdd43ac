// Where the placements of kernels/columns put the elements of one block, and the order in which they want its
// rows: found from the lengths of its rows alone. Pure, OpenMP.
#pragma once

#include <cstddef>
#include <vector>

#include "core/types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/device_arrays.hpp"
#include "kernels/parts/format_checks.hpp"

namespace spmv {

/// Rows by descending length within windows of `window` rows, rows of one length in their old order so that
/// neighbours keep sharing x. Empty, which means as they are, for a window of 1.
std::vector<lidx> sorted_rows(const std::vector<lidx>& lengths, lidx window);

/// All rows of the block by descending length. A Format::row_order.
template <class T>
std::vector<lidx> sort_all_rows(const Csr<T>& block, const FormatOptions&) {
  return sorted_rows(row_lengths(block.row_ptr), block.rows);
}
/// The same within windows of options.sigma rows.
template <class T>
std::vector<lidx> sort_in_windows(const Csr<T>& block, const FormatOptions& options) {
  return options.sigma > 1 ? sorted_rows(row_lengths(block.row_ptr), options.sigma) : std::vector<lidx>{};
}

// A plan is made from the lengths of a block's rows, in the order in which they are stored:
//   Placement               the type of the placement
//   stored                  elements with padding
//   bytes()                 of the placement's own arrays
//   host_chunk_rows()       of the placement
//   place(DeviceArrays&)    copies these arrays to the device and makes the placement

/// Every stored column has an element for every row, rounded up to whole warps.
struct StridedPlan {
  using Placement = Strided;
  offset stored = 0;
  offset stride = 0;
  static std::size_t bytes() { return 0; }
  static int host_chunk_rows() { return Placement::host_chunk_rows(); }
  Placement place(DeviceArrays&) const { return {stride}; }
};
StridedPlan plan_strided(const std::vector<lidx>& lengths);

/// Blocks of block_rows rows are padded to their longest row. Throws Error(usage) if block_rows < 1,
/// Error(internal) if a block of rows is longer than the one before it.
struct JaggedPlan {
  using Placement = Jagged;
  offset stored = 0;
  std::vector<offset>
      col_start;  // one per stored column; 64 bits, because 32, as in [Kreutzer 2012], end at 51 GB of doubles
  std::size_t bytes() const { return col_start.size() * sizeof(offset); }
  static int host_chunk_rows() { return Placement::host_chunk_rows(); }
  Placement place(DeviceArrays& arrays) const { return {arrays.add(col_start)}; }
};
JaggedPlan plan_jagged(const std::vector<lidx>& lengths, lidx block_rows);

/// Slices of chunk_rows rows are as wide as their longest row. Throws Error(usage) unless chunk_rows is a
/// power of two.
struct SlicedPlan {
  using Placement = Sliced;
  offset stored = 0;
  std::vector<offset> slice_ptr;  // slices + 1
  int log2_rows = 0;
  std::size_t bytes() const { return slice_ptr.size() * sizeof(offset); }
  int host_chunk_rows() const { return Placement{nullptr, log2_rows}.host_chunk_rows(); }
  Placement place(DeviceArrays& arrays) const { return {arrays.add(slice_ptr), log2_rows}; }
};
SlicedPlan plan_sliced(const std::vector<lidx>& lengths, lidx chunk_rows);

}  // namespace spmv
