// sell_packed and sell_blocked: what they ask of a block, what they cost, and their rows of the table.
#include "kernels/packed/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/packed/build.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/parts/row_threads.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {
namespace {

/// Slices from which on they are multiplied in groups, by one thread a row: fewer groups would leave most of a GPU
/// without work (H200, 22 stencils: groups are up to half as fast again from 8000 slices on, equal at 3500, slower at 2000).
/// Whoever asks for one thread a row gets groups of any number of slices.
lidx least_grouped_slices(const FormatOptions& options) {
  constexpr lidx enough = 3000;
  return options.threads_per_row == 0   ? enough
         : options.threads_per_row == 1 ? 1
                                        : std::numeric_limits<lidx>::max();
}

/// The operator on `block`, its rows in this order, in blocks of b x b. Packed on the device. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const std::string& name, const Csr<T>& block, const RowOrder& order,
                                       int b, const std::vector<lidx>& row_list, const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  Packed<T> packed = pack_block(block, order,
                                {.format = name,
                                 .b = b,
                                 .least_grouped = least_grouped_slices(options),
                                 .more_bytes = static_cast<double>(row_list.size()) * sizeof(lidx)},
                                backend);
  PackedView<T>& view = packed.view;
  view.row_list = packed.arrays.add_row_list(row_list);
  set_launch(view, options, {.stored_elements = packed.stored});
  return make_format_operator(view, std::move(packed.arrays), block, packed.stored, packed.unread_bytes);
}

/// Whether slices of heads alone are multiplied by a kernel of their own, as far as the analysis tells: where there are no
/// others, or where they are grouped.
bool has_kernel_of_heads(const Analysis& a, const FormatOptions& options) {
  const bool grouped =
      a.rows / slice_rows >= least_grouped_slices(options) && a.constant_share >= least_grouped_share;
  return grouped || a.constant_share >= 1;
}

/// Of blocks of b x b. What a product reads is found from how sell_packed would store the slices; blocks are
/// taken to have the same kinds of columns as their elements have.
Cost cost(const Analysis& a, const FormatOptions& options, int b) {
  auto elements = static_cast<double>(a.nonzeros);
  const double scalars = static_cast<double>(b) * b;
  if (b > 1)
    for (const BlockCover& cover : a.block_covers)
      if (cover.size == b) elements = static_cast<double>(cover.blocks);
  // N_iter of single elements over all of them is also that of blocks.
  const double nonzeros = std::max<double>(1, static_cast<double>(a.nonzeros));
  const double padding = static_cast<double>(a.iterations(options.sigma)) * slice_rows / nonzeros;
  const double iterations = elements * padding / slice_rows;
  const auto full = static_cast<double>(a.value_bytes);
  double col = 0;
  for (const ColumnKind kind : {ColumnKind::distance8, ColumnKind::distance16, ColumnKind::full})
    col += static_cast<double>(column_bytes(kind)) * a.share(kind);
  const double value = b == 1 ? 1 * a.share(ValueKind::dictionary) + full / 2 * a.share(ValueKind::half) +
                                    full * a.share(ValueKind::full)
                       : a.distinct_values <= most_dictionary_values
                           ? scalars
                           : scalars * full * (1 - a.float_share / 2);
  const double heads = iterations * static_cast<double>(head_bytes(a.value_bytes)) +
                       static_cast<double>(a.rows) / b / slice_rows * sizeof(Slice);
  const int threads = options.threads_per_row > 0
                          ? options.threads_per_row
                          : packed_threads_per_row(a.rows / b, static_cast<offset>(elements), b);
  return {elements * padding * (col + value) + heads,
          elements * (col + value) + heads + vector_bytes(a),
          iterations * scalars,
          std::ceil(1.0 * a.longest / b / threads),
          b == 1 ? iterations * a.share(ColumnKind::diagonals) : 0,
          b == 1 && has_kernel_of_heads(a, options) ? iterations * a.constant_share : 0};
}

// sell_packed: b = 1.

template <class T>
std::vector<lidx> row_order(const Csr<T>& block, const FormatOptions& options) {
  return packed_row_order(block, 1, options.sigma);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_single(const Csr<T>& block, const RowOrder& order,
                                              const std::vector<lidx>& row_list, const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  return make("sell_packed", block, order, 1, row_list, options, backend);
}

Cost single_cost(const Analysis& analysis, const FormatOptions& options) {
  return cost(analysis, options, 1);
}

// sell_blocked: b > 1.

/// Depends on the pattern alone, and not on the order of the rows that blocked_row_order() returns.
template <class T>
int entry_block(const Csr<T>& block, const FormatOptions& options) {
  return options.entry_block > 0 ? options.entry_block : best_entry_block(block_covers(block), sizeof(T));
}

template <class T>
FormatOptions settle_entry_block(const Csr<T>& block, const FormatOptions& options) {
  FormatOptions settled = options;
  settled.entry_block = entry_block(block, options);
  return settled;
}

template <class T>
std::vector<lidx> blocked_row_order(const Csr<T>& block, const FormatOptions& options) {
  if (options.sigma <= 1) return {};
  return packed_row_order(block, entry_block(block, options), options.sigma);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_blocked(const Csr<T>& block, const RowOrder& order,
                                               const std::vector<lidx>& row_list,
                                               const FormatOptions& options,
                                               const std::shared_ptr<Backend>& backend) {
  return make("sell_blocked", block, order, entry_block(block, options), row_list, options, backend);
}

Cost blocked_cost(const Analysis& analysis, const FormatOptions& options) {
  const int b = options.entry_block > 0 ? options.entry_block
                                        : best_entry_block(analysis.block_covers, analysis.value_bytes);
  return cost(analysis, options, b);
}

}  // namespace

int packed_threads_per_row(lidx block_rows, offset elements, int b) {
  // More than four warps for a slice pay where there are few slices only: with eight, blocks of elasticity 25^3 take a third
  // longer (H200).
  constexpr int most_of_many = 4, most_of_few = 16;
  constexpr lidx many_rows = 8000;
  if (b == 1) return std::min(most_of_few, side_by_side_threads_per_row(block_rows, elements));
  constexpr offset enough_threads = 270'000, least_elements = 2;
  const int most = block_rows >= many_rows ? most_of_many : most_of_few;
  int threads = 1;
  while (threads < most && offset{block_rows} * threads < enough_threads &&
         elements >= least_elements * threads * block_rows)
    threads *= 2;
  return threads;
}

template <class T>
std::vector<Format<T>> packed_formats() {
  return {
      {.name = "sell_packed",
       .summary = "SELL-32 with columns as short distances and values by number or in half their size",
       .listed_at = 180,
       .row_order = row_order<T>,
       .make = as_they_are<T, make_single<T>>,
       .make_in_order = make_single<T>,
       .cost = single_cost,
       .pace = {.iteration_ps = 125,
                .chain_ns = 200,
                .host_iteration_ns = 38,
                .build_ns = 1.1,
                .host_build_ns = 3.5,
                .sorts = Sorts::by_sigma,
                .sort_ns = 0.4,
                .start_ms = 3,
                .diagonal_ps = 32,
                .cached_speed = 0.6},
       .fuses = true,
       .keeps_neighbourhood = true},
      {.name = "sell_blocked",
       .summary = "SELL-32 of dense b x b blocks with one column index each",
       .listed_at = 190,
       .row_order = blocked_row_order<T>,
       .make = as_they_are<T, make_blocked<T>>,
       .make_in_order = make_blocked<T>,
       .settle = settle_entry_block<T>,
       .cost = blocked_cost,
       .pace = {.iteration_ps = 60,
                .chain_ns = 500,
                .host_iteration_ns = 44,
                .build_ns = 1.7,
                .host_build_ns = 22,
                .sorts = Sorts::by_sigma,
                .sort_ns = 1,
                .start_ms = 7,
                .cached_speed = 0.45},
       .fuses = true,
       .keeps_neighbourhood = true},
  };
}

SPMV_INSTANTIATE(packed_formats);

}  // namespace spmv
