// What every format costs, found from the analysis of a block alone.
#pragma once

#include "kernels/format_options.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {

/// What a format would cost for a block. All arrays in device memory.
struct Cost {
  /// Bytes of all arrays, padding included: predicts Footprint::bytes.
  double bytes = 0;
  /// Bytes that one product (assign) moves at least: predicts matrix_bytes + vector_bytes of
  /// LocalOperator::traffic(), without a row list, which the analysis does not know.
  double moved_bytes = 0;
  /// Steps of the kernel's inner loop, in which a warp does an element in each of its warp_size lanes, summed
  /// over all warps: N_iter of [Wang 2020, Eq. 1], or what corresponds to it.
  double iterations = 0;
  /// Those of the warp that has most. They follow each other, however many warps there are.
  double chain = 0;
  /// Those of `iterations` in which no lane loads a column of its own: ColumnKind::diagonals.
  double along_diagonals = 0;
  /// Those in which no lane loads anything of its own but x, and for which CUDA has kernels that go from head to head.
  double heads_alone = 0;
};

/// One function per format, named like it. Pure. What a host or a GPU alone needs is left out, as are a layout's own
/// arrays of 8 bytes a slice or a column.
namespace costs {

Cost csr(const Analysis& a, const FormatOptions& options);
Cost csr_packed(const Analysis& a, const FormatOptions& options);
Cost csr_scalar(const Analysis& a, const FormatOptions& options);
Cost csr_vector(const Analysis& a, const FormatOptions& options);
Cost spmv4gpu(const Analysis& a, const FormatOptions& options);
Cost spmv4gpu_padded(const Analysis& a, const FormatOptions& options);
Cost block(const Analysis& a, const FormatOptions& options);
Cost coo(const Analysis& a, const FormatOptions& options);
Cost hyb(const Analysis& a, const FormatOptions& options);
Cost cusparse_csr(const Analysis& a, const FormatOptions& options);
/// The analysis knows slices of 32 rows: others are taken for the same.
Cost cusparse_sell(const Analysis& a, const FormatOptions& options);
/// Throws Error(internal) unless the analysis has looked at blocks of this size.
Cost cusparse_bsr(const Analysis& a, const FormatOptions& options);
Cost ellpack(const Analysis& a, const FormatOptions& options);
Cost ellpack_r(const Analysis& a, const FormatOptions& options);
Cost pellr(const Analysis& a, const FormatOptions& options);
Cost jad(const Analysis& a, const FormatOptions& options);
Cost pjds(const Analysis& a, const FormatOptions& options);
Cost sell(const Analysis& a, const FormatOptions& options);
Cost biell(const Analysis& a, const FormatOptions& options);
Cost bijad(const Analysis& a, const FormatOptions& options);
Cost sell_packed(const Analysis& a, const FormatOptions& options);
Cost sell_blocked(const Analysis& a, const FormatOptions& options);

}  // namespace costs

/// Whether a host multiplies rows of such a block faster four elements at a time, see rows/rows.hpp. Pure.
bool multiplies_by_fours(const Analysis& a);

}  // namespace spmv
