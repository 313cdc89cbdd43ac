// Formats whose rows follow each other, formats of nonzeros, and the library's.
#include "kernels/tune/costs.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "kernels/block/block.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "kernels/hyb/hyb.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/rows/spmv4gpu.hpp"
#include "kernels/tiles/tiles.hpp"

namespace spmv {
namespace {

double element_bytes(const Analysis& a) {
  return static_cast<double>(a.value_bytes + sizeof(lidx));
}

/// Tiles of elements of so many bytes, beside what a row and a tile need.
Cost tiles(const Analysis& a, double bytes_of_element) {
  const auto nonzeros = static_cast<double>(a.nonzeros);
  const double bytes = nonzeros * bytes_of_element + (a.rows + 1.0) * sizeof(offset) +
                       nonzeros / (tile_threads * tile_items(a.nonzeros)) * sizeof(Tile);
  constexpr double chain = most_tile_items;
  return {bytes, bytes + vector_bytes(a), nonzeros / warp_size, chain};
}

Cost plain_rows(const Analysis& a, int threads_per_row) {
  const double bytes = csr_bytes(a.rows, a.nonzeros, a.value_bytes);
  return {bytes, bytes + vector_bytes(a), row_iterations(a, threads_per_row),
          std::ceil(1.0 * a.longest / threads_per_row)};
}

/// Iterations of warps that rows need in addition where they begin anywhere in a group of half_warp elements.
double misaligned_iterations(const Analysis& a, int threads) {
  double more = 0;
  for (std::size_t length = 1; length < a.rows_of_length.size(); ++length) {
    offset steps = 0;
    for (offset before = 0; before < half_warp; ++before)
      steps += (before + static_cast<offset>(length) + threads - 1) / threads;
    const double aligned = std::ceil(static_cast<double>(length) / threads);
    more +=
        static_cast<double>(a.rows_of_length[length]) * (static_cast<double>(steps) / half_warp - aligned);
  }
  return more * threads / warp_size;
}

/// Iterations as if the library spread the stored elements evenly: how it does is not known.
Cost library(const Analysis& a, double bytes, double unread_bytes, double stored) {
  return {bytes, bytes - unread_bytes + vector_bytes(a), std::ceil(stored / warp_size),
          std::ceil(static_cast<double>(a.longest) / warp_size)};
}

}  // namespace

bool multiplies_by_fours(const Analysis& a) {
  return pays_by_fours({a.x_bytes(), a.mean_length, a.changes_share(), a.near_share, a.complex_values});
}

namespace costs {

Cost csr(const Analysis& a, const FormatOptions&) {
  return tiles(a, element_bytes(a));
}

Cost csr_packed(const Analysis& a, const FormatOptions&) {
  const auto full = static_cast<double>(a.value_bytes);
  const double value = a.distinct_values == 1                        ? 0
                       : a.distinct_values <= most_dictionary_values ? 1
                       : a.float_share == 1                          ? full / 2
                                                                     : full;
  const double near = a.cols - 1 <= most_distance16 ? 1 : a.distance16_share;
  const double col = near * static_cast<double>(column_bytes(ColumnKind::distance16)) +
                     (1 - near) * static_cast<double>(column_bytes(ColumnKind::full));
  return tiles(a, value + col);
}

Cost csr_scalar(const Analysis& a, const FormatOptions&) {
  return plain_rows(a, 1);
}

Cost csr_vector(const Analysis& a, const FormatOptions& options) {
  return plain_rows(a, csr_vector_threads_per_row(a.rows, a.nonzeros, options));
}

Cost spmv4gpu(const Analysis& a, const FormatOptions& options) {
  const int threads = spmv4gpu_threads_per_row(a.rows, a.nonzeros, options);
  Cost cost = plain_rows(a, threads);
  cost.iterations += misaligned_iterations(a, threads);
  return cost;
}

Cost spmv4gpu_padded(const Analysis& a, const FormatOptions& options) {
  const int threads = spmv4gpu_threads_per_row(a.rows, a.nonzeros, options);
  const double rows = (a.rows + 1.0) * sizeof(offset) + static_cast<double>(a.rows) * sizeof(lidx);
  double stored = 0;
  for (std::size_t length = 0; length < a.rows_of_length.size(); ++length)
    stored +=
        static_cast<double>(a.rows_of_length[length] * rounded_up(static_cast<offset>(length), half_warp));
  return {stored * element_bytes(a) + rows,
          static_cast<double>(a.nonzeros) * element_bytes(a) + rows + vector_bytes(a),
          row_iterations(a, threads), std::ceil(1.0 * a.longest / threads)};
}

/// The analysis cuts strips at multiples of their width: at most twice as many as there are blocks. Every
/// block takes the warps through strip_cols elements of x before its own.
Cost block(const Analysis& a, const FormatOptions&) {
  const auto element = static_cast<double>(a.value_bytes + sizeof(std::uint16_t));
  const auto blocks = static_cast<double>(a.strips);
  const double extra = blocks * block_bytes + (static_cast<double>(band_count(a.rows)) + 1) * sizeof(offset);
  const auto stored = static_cast<double>(a.half_warp_elements);
  const double strip_steps = static_cast<double>(strip_cols) / warp_size;
  const double bands = std::max(1.0, static_cast<double>(band_count(a.rows)));
  return {stored * element + extra, static_cast<double>(a.nonzeros) * element + extra + vector_bytes(a),
          stored / warp_size + blocks * strip_steps,
          static_cast<double>(a.longest) / half_warp + 2 * blocks / bands * strip_steps / half_warp};
}

Cost coo(const Analysis& a, const FormatOptions&) {
  const double empty = a.rows_of_length.empty() ? 0.0 : static_cast<double>(a.rows_of_length[0]);
  const double bytes =
      coo_bytes(a.nonzeros, empty, a.value_bytes) + coo_carry_bytes(coo_runs(a.nonzeros), a.value_bytes);
  return {bytes, bytes + vector_bytes(a), static_cast<double>((a.nonzeros + warp_size - 1) / warp_size),
          static_cast<double>(std::min(a.nonzeros, coo_run)) / warp_size};
}

Cost hyb(const Analysis& a, const FormatOptions&) {
  const lidx width = hyb_width(a.rows_of_length, a.rows, a.value_bytes);
  const auto rest = static_cast<double>(hyb_rest(a.rows_of_length, width));
  const offset padded_rows = rounded_up(a.rows, warp_size);
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  const double rest_bytes = rest * (element_bytes(a) + sizeof(lidx));
  // COO reads and writes its rows of y once more; there are no more of them than nonzeros.
  const double again = 2 * std::min(rest, static_cast<double>(a.rows)) * static_cast<double>(a.value_bytes);
  const double all_columns = static_cast<double>(padded_rows / warp_size) * width;
  return {static_cast<double>(padded_rows) * width * element_bytes(a) + rest_bytes + lengths,
          (static_cast<double>(a.nonzeros) - rest) * element_bytes(a) + rest_bytes + lengths +
              vector_bytes(a) + again,
          std::min(all_columns, static_cast<double>(a.iterations(1))) + rest / warp_size,
          static_cast<double>(width) + std::min(rest, static_cast<double>(coo_run)) / warp_size};
}

Cost cusparse_csr(const Analysis& a, const FormatOptions&) {
  const auto nonzeros = static_cast<double>(a.nonzeros);
  const double bytes = nonzeros * element_bytes(a) + (a.rows + 1.0) * cusparse_start_bytes(nonzeros);
  return library(a, bytes, 0, nonzeros);
}

Cost cusparse_sell(const Analysis& a, const FormatOptions& options) {
  const double stored = static_cast<double>(a.iterations(options.sigma)) * warp_size;
  const double padding = stored - static_cast<double>(a.nonzeros);
  const double bytes = stored * element_bytes(a) +
                       (1.0 * a.rows / cusparse_slice_rows(options) + 1) * cusparse_start_bytes(stored);
  return library(a, bytes, padding * static_cast<double>(a.value_bytes), stored);
}

Cost cusparse_bsr(const Analysis& a, const FormatOptions& options) {
  const int size = cusparse_block_size(a.block_covers, a.rows, a.value_bytes, options);
  for (const BlockCover& cover : a.block_covers) {
    if (cover.size != size) continue;
    const auto blocks = static_cast<double>(cover.blocks);
    const double stored = blocks * size * size;
    const double bytes = stored * static_cast<double>(a.value_bytes) + blocks * sizeof(lidx) +
                         (1.0 * a.rows / size + 1) * cusparse_start_bytes(blocks);
    return library(a, bytes, 0, stored);
  }
  throw Error(ExitCode::internal, "the analysis does not know this size of block");
}

}  // namespace costs
}  // namespace spmv
