// Formats that store neighbouring rows side by side.
#include <algorithm>
#include <cmath>

#include "kernels/bisection/bisection.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/packed/patterns.hpp"
#include "kernels/parts/row_threads.hpp"
#include "kernels/parts/value_set.hpp"
#include "kernels/tune/costs.hpp"

namespace spmv {
namespace {

/// Bytes of `stored` elements and of the lengths of all rows.
double elements_and_lengths(const Analysis& a, double stored) {
  return stored * static_cast<double>(a.value_bytes + sizeof(lidx)) +
         static_cast<double>(a.rows) * sizeof(lidx);
}

/// `stored` elements whose rows are sorted within windows of `window` rows.
Cost columns(const Analysis& a, const FormatOptions& options, double stored, lidx window) {
  const int threads = options.threads_per_row > 0 ? options.threads_per_row
                                                  : side_by_side_threads_per_row(a.rows, a.nonzeros);
  return {elements_and_lengths(a, stored),
          elements_and_lengths(a, static_cast<double>(a.nonzeros)) + vector_bytes(a),
          static_cast<double>(a.iterations(window)), std::ceil(1.0 * a.longest / threads)};
}

/// Slices as wide as their longest row.
Cost sliced(const Analysis& a, const FormatOptions& options, lidx window) {
  return columns(a, options, static_cast<double>(a.iterations(window)) * slice_rows, window);
}

/// Elements of every row padded to the longest, and rows to whole warps.
double rectangle(const Analysis& a) {
  return static_cast<double>(rounded_up(a.rows, warp_size)) * a.longest;
}

/// `chain` iterations in the slice of the longest row. Which lengths meet in a slice is not known; but more
/// than half of every group is nonzeros, so at most as many iterations again are padding, and no more than
/// without bisection. Half of that is assumed.
Cost bisected(const Analysis& a, lidx window, double chain) {
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double slices = std::ceil(static_cast<double>(a.rows) / slice_rows);
  const double extra =
      static_cast<double>(a.rows) * sizeof(lidx) + (slices * bisection_groups + 1) * sizeof(offset);
  const double full = static_cast<double>(a.nonzeros) / slice_rows;
  const double iterations = full + std::min(static_cast<double>(a.iterations(window)) - full, full) / 2;
  return {iterations * slice_rows * element + extra,
          static_cast<double>(a.nonzeros) * element + extra + vector_bytes(a), iterations, chain};
}

/// The lengths of the longest rows, in descending order: the first slice where all rows are sorted.
SliceLengths longest_rows(const Analysis& a) {
  SliceLengths longest{};
  std::size_t filled = 0;
  for (std::size_t l = a.rows_of_length.size(); l-- > 0 && filled < longest.size();)
    for (offset i = 0; i < a.rows_of_length[l] && filled < longest.size(); ++i)
      longest[filled++] = static_cast<offset>(l);
  return longest;
}

/// Whether slices of heads alone are multiplied by a kernel of their own, as far as the analysis tells: where there are no
/// others, or where they are grouped.
bool has_kernel_of_heads(const Analysis& a, const FormatOptions& options) {
  const bool grouped =
      a.rows / slice_rows >= least_grouped_slices(options) && a.constant_share >= least_grouped_share;
  return grouped || a.constant_share >= 1;
}

/// Bytes of the value or values that share a column, of blocks of b x b.
double packed_values(const Analysis& a, int b) {
  const auto full = static_cast<double>(a.value_bytes);
  const double scalars = static_cast<double>(b) * b;
  if (b == 1)
    return 1 * a.share(ValueKind::dictionary) + full / 2 * a.share(ValueKind::half) +
           full * a.share(ValueKind::full);
  return a.distinct_values <= most_dictionary_values ? scalars : scalars * full * (1 - a.float_share / 2);
}

/// Of blocks of b x b. What a product reads is found from how sell_packed would store the slices; blocks are
/// taken to have the same kinds of columns as their elements have.
Cost packed(const Analysis& a, const FormatOptions& options, int b) {
  auto elements = static_cast<double>(a.nonzeros);
  if (b > 1)
    for (const BlockCover& cover : a.block_covers)
      if (cover.size == b) elements = static_cast<double>(cover.blocks);
  // N_iter of single elements over all of them is also that of blocks.
  const double nonzeros = std::max<double>(1, static_cast<double>(a.nonzeros));
  const double padding = static_cast<double>(a.iterations(options.sigma)) * slice_rows / nonzeros;
  const double iterations = elements * padding / slice_rows;
  double col = 0;
  for (const ColumnKind kind : {ColumnKind::distance8, ColumnKind::distance16, ColumnKind::full})
    col += static_cast<double>(column_bytes(kind)) * a.share(kind);
  const double element = col + packed_values(a, b);
  const double heads = iterations * static_cast<double>(head_bytes(a.value_bytes)) +
                       static_cast<double>(a.rows) / b / slice_rows * sizeof(Slice);
  const int threads = options.threads_per_row > 0
                          ? options.threads_per_row
                          : packed_threads_per_row(a.rows / b, static_cast<offset>(elements), b);
  return {elements * padding * element + heads,
          elements * element + heads + vector_bytes(a),
          iterations * (static_cast<double>(b) * b),
          std::ceil(1.0 * a.longest / b / threads),
          b == 1 ? iterations * a.share(ColumnKind::diagonals) : 0,
          b == 1 && has_kernel_of_heads(a, options) ? iterations * a.constant_share : 0};
}

}  // namespace

namespace costs {

/// Columns of padding are read, and every warp goes through the whole width.
Cost ellpack(const Analysis& a, const FormatOptions& options) {
  const double stored = rectangle(a);
  Cost cost = columns(a, options, stored, 1);
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  cost.bytes -= lengths;
  cost.moved_bytes += (stored - static_cast<double>(a.nonzeros)) * sizeof(lidx) - lengths;
  cost.iterations = stored / warp_size;
  return cost;
}

Cost ellpack_r(const Analysis& a, const FormatOptions& options) {
  return columns(a, options, rectangle(a), 1);
}

Cost pellr(const Analysis& a, const FormatOptions& options) {
  return columns(a, options, rectangle(a), a.rows);
}

Cost jad(const Analysis& a, const FormatOptions& options) {
  return columns(a, options, static_cast<double>(a.nonzeros), a.rows);
}

Cost pjds(const Analysis& a, const FormatOptions& options) {
  return sliced(a, options, a.rows);
}

Cost sell(const Analysis& a, const FormatOptions& options) {
  return sliced(a, options, options.sigma);
}

Cost biell(const Analysis& a, const FormatOptions&) {
  const double chain = a.mean_length + (static_cast<double>(a.longest) - a.mean_length) / slice_rows;
  return bisected(a, slice_rows, std::ceil(chain));
}

Cost bijad(const Analysis& a, const FormatOptions&) {
  return bisected(a, a.rows, static_cast<double>(bisection_steps(longest_rows(a))));
}

Cost sell_packed(const Analysis& a, const FormatOptions& options) {
  return packed(a, options, 1);
}

Cost sell_blocked(const Analysis& a, const FormatOptions& options) {
  return packed(
      a, options,
      options.entry_block > 0 ? options.entry_block : best_entry_block(a.block_covers, a.value_bytes));
}

}  // namespace costs
}  // namespace spmv
