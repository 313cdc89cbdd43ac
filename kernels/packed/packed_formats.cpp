// sell_packed and sell_blocked: what they ask of a block, and their rows of the table.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/packed/build.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/block_covers.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/parts/row_threads.hpp"

namespace spmv {
namespace {

/// The operator in blocks of b x b, packed on the device. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const std::string& name, int b, const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  Packed<T> packed = pack_block(block, request.order,
                                {.format = name,
                                 .b = b,
                                 .least_grouped = least_grouped_slices(request.options),
                                 .more_bytes = static_cast<double>(request.row_list.size()) * sizeof(lidx)},
                                request.backend);
  PackedView<T>& view = packed.view;
  view.row_list = packed.arrays.add_row_list(request.row_list);
  set_launch(view, request.options, {.stored_elements = packed.stored});
  return make_format_operator(view, std::move(packed.arrays), block, packed.stored, packed.unread_bytes);
}

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

}  // namespace

lidx least_grouped_slices(const FormatOptions& options) {
  constexpr lidx enough = 3000;
  return options.threads_per_row == 0   ? enough
         : options.threads_per_row == 1 ? 1
                                        : std::numeric_limits<lidx>::max();
}

int packed_threads_per_row(lidx block_rows, offset elements, int b) {
  // More than four warps share a slice only where few slices would leave a GPU without work.
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
       .row_order = [](const Csr<T>& block,
                       const FormatOptions& options) { return packed_row_order(block, 1, options.sigma); },
       .make = [](const BuildRequest<T>& request) { return make("sell_packed", 1, request); },
       .moves_rows = true,
       .fuses = true,
       .sums = true,
       .columns = true,
       .keeps_neighbourhood = true},
      {.name = "sell_blocked",
       .summary = "SELL-32 of dense b x b blocks with one column index each",
       .listed_at = 190,
       .row_order = blocked_row_order<T>,
       .make =
           [](const BuildRequest<T>& request) {
             return make("sell_blocked", entry_block(request.block, request.options), request);
           },
       .moves_rows = true,
       .settle = settle_entry_block<T>,
       .fuses = true,
       .sums = true,
       .columns = true,
       .keeps_neighbourhood = true},
  };
}

SPMV_INSTANTIATE(packed_formats);

}  // namespace spmv
