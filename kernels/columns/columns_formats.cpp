// The formats that store neighbouring rows side by side, and how they are built.
#include <utility>

#include "core/value_types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"

namespace spmv {
namespace {

/// What a format built on columns says of itself.
struct ColumnsFormat {
  const char* name;
  const char* instead;        // what to use when it does not fit, such as "use format csr"
  bool keeps_lengths = true;  // false: padding is marked, and read
};

/// The operator whose elements lie where `make_plan` puts rows of certain lengths. They are moved there on the device, from a
/// copy of the block. Throws as Format::make.
template <class T, class MakePlan>
std::unique_ptr<LocalOperator<T>> make(const ColumnsFormat& format, const MakePlan& make_plan,
                                       const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const auto& backend = request.backend;
  require_row_list(block.rows, request.row_list);
  const std::vector<lidx> row_length = row_lengths(block.row_ptr, request.order.rows);
  const auto plan = make_plan(row_length);
  using Placement = typename std::decay_t<decltype(plan)>::Placement;
  const double element = sizeof(T) + sizeof(lidx);
  const std::vector<offset> chunk_ptr =
      backend->runs_host_code() ? chunk_nonzeros(row_length, plan.host_chunk_rows()) : std::vector<offset>{};
  const std::size_t lengths = format.keeps_lengths ? row_length.size() : 0;
  const double bytes = static_cast<double>(plan.stored) * element +
                       static_cast<double>((lengths + request.row_list.size()) * sizeof(lidx)) +
                       static_cast<double>(plan.bytes() + chunk_ptr.size() * sizeof(offset));
  require_memory(*backend, format.name, {bytes + BlockOnDevice<T>::bytes(block, request.order, *backend), 0},
                 format.instead);

  DeviceArrays arrays(backend);
  lidx* col = arrays.template allocate<lidx>(static_cast<std::size_t>(plan.stored));
  T* value = arrays.template allocate<T>(static_cast<std::size_t>(plan.stored));
  ColumnsView<T, Placement> view{};
  view.rows = block.rows;
  view.placement = plan.place(arrays);
  view.width = longest_row(block);
  view.row_length = format.keeps_lengths ? arrays.add(row_length) : nullptr;
  view.col = col;
  view.value = value;
  view.row_list = arrays.add_row_list(request.row_list);
  if (backend->runs_host_code()) view.chunk_ptr = arrays.add(chunk_ptr);
  set_launch(view, request.options, {.nonzeros = block.nonzeros()});

  const BlockOnDevice<T> from(block, request.order, backend);
  const ColumnsFill<T, Placement> fill{from.source(), view.placement, col, value};
  const auto queue = backend->make_queue(Priority::normal);
  const auto stored = static_cast<std::size_t>(plan.stored);
  queue->fill(col, format.keeps_lengths ? 0 : 0xff, stored * sizeof(lidx));
  queue->fill(value, 0, stored * sizeof(T));
  if (queue->takes_cuda_kernels())
    launch_build_cuda(fill, queue->stream());
  else
    queue->run([fill] { fill_host(fill); });
  queue->synchronize();
  const double unread_element = format.keeps_lengths ? element : sizeof(T);
  return make_format_operator(view, std::move(arrays), block, plan.stored,
                              static_cast<double>(plan.stored - block.nonzeros()) * unread_element);
}

// ELLPACK [Vazquez 2011, sect. 3.3], [Wang 2020, sect. 2.3.1]: all rows padded to the longest, stored column
// by column. Every thread goes through the whole width; a marked column says where its row has nothing.

template <class T>
std::unique_ptr<LocalOperator<T>> make_ellpack(const BuildRequest<T>& request) {
  return make({.name = "ellpack", .instead = "use format pjds, sell or csr", .keeps_lengths = false},
              plan_strided, request);
}

// ELLPACK-R [Vazquez 2011, sect. 4], [Kreutzer 2012, Listing 1]: ELLPACK with the true length of every row,
// so that no product touches padding. With T threads per row as well (ELLR-T). make_ellpack_r() stands below:
// hyb uses it, too.

// PELLR [Wang 2020, sect. 3]: ELLPACK-R with all rows sorted by descending length, so that the rows of a warp
// end together. Its storage is still as wide as the longest row.

template <class T>
std::unique_ptr<LocalOperator<T>> make_pellr(const BuildRequest<T>& request) {
  return make({.name = "pellr", .instead = "use format pjds, sell or csr"}, plan_strided, request);
}

// Jagged diagonals, JAD [Wang 2020, sect. 2.3.5]: all rows sorted by descending length, then the j-th
// elements of all rows that have one make a diagonal. No padding, and no diagonal starts at a multiple of
// anything.

template <class T>
std::unique_ptr<LocalOperator<T>> make_jad(const BuildRequest<T>& request) {
  return make(
      {.name = "jad", .instead = "use format csr"},
      [](const std::vector<lidx>& lengths) { return plan_jagged(lengths, 1); }, request);
}

// Padded jagged diagonals, pJDS [Kreutzer 2012, sect. 2.1, Listing 2]: all rows sorted by descending length,
// blocks of b_r rows padded to their longest, stored column by column. Every column starts at a multiple of
// b_r.

template <class T>
std::unique_ptr<LocalOperator<T>> make_pjds(const BuildRequest<T>& request) {
  return make(
      {.name = "pjds", .instead = "use fewer block rows, or format csr"},
      [&](const std::vector<lidx>& lengths) { return plan_jagged(lengths, request.options.block_rows); },
      request);
}

// SELL-C-sigma [Kreutzer 2014], the common successor of sliced ELLPACK and pJDS: rows sorted by descending length within
// windows of sigma rows, slices of C rows as wide as their longest row, stored one after the other. sigma = 1
// leaves the rows as they are; C = b_r and sigma = all rows is pJDS except for the order of the elements.

template <class T>
std::unique_ptr<LocalOperator<T>> make_sell(const BuildRequest<T>& request) {
  return make(
      {.name = "sell", .instead = "use format csr"},
      [&](const std::vector<lidx>& lengths) { return plan_sliced(lengths, request.options.chunk_rows); },
      request);
}

}  // namespace

int columns_unroll(lidx rows, offset nonzeros) {
  constexpr offset long_enough = 16;  // on average: two full batches of 8
  return nonzeros < long_enough * offset{rows} ? 4 : 8;
}

template <class Fill>
void fill_host(const Fill& fill) {
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < fill.from.rows; ++row) {
    const offset first = fill.from.begin(row);
    const lidx length = fill.from.length(row);
    for (lidx j = 0; j < length; ++j) {
      fill.col[fill.placement.at(row, j)] = fill.from.column(first + j);
      fill.value[fill.placement.at(row, j)] = fill.from.value[first + j];
    }
  }
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_ellpack_r(const BuildRequest<T>& request) {
  return make({.name = "ellpack_r", .instead = "use format pjds, sell or csr"}, plan_strided, request);
}

template <class T>
std::vector<Format<T>> columns_formats() {
  return {
      {.name = "ellpack",
       .summary = "rows padded to the longest, stored column-wise, no row lengths",
       .listed_at = 90,
       .make = make_ellpack<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "ellpack_r",
       .summary = "ELLPACK with row lengths: for rows of like length",
       .listed_at = 100,
       .make = make_ellpack_r<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "jad",
       .summary = "all rows sorted by length, stored as jagged diagonals without padding",
       .listed_at = 130,
       .row_order = sort_all_rows<T>,
       .make = make_jad<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "pellr",
       .summary = "ELLPACK-R with all rows sorted by length",
       .listed_at = 150,
       .row_order = sort_all_rows<T>,
       .make = make_pellr<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "pjds",
       .summary = "rows sorted by length, padded in blocks, stored column-wise",
       .listed_at = 160,
       .row_order = sort_all_rows<T>,
       .make = make_pjds<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
      {.name = "sell",
       .summary = "SELL-C-sigma: slices of C rows, sorted within windows of sigma",
       .listed_at = 170,
       .row_order = sort_in_windows<T>,
       .make = make_sell<T>,
       .moves_rows = true,
       .fuses = true,
       .columns = true,
       .sums_columns = true},
  };
}

SPMV_INSTANTIATE(make_ellpack_r);
SPMV_INSTANTIATE(columns_formats);
SPMV_INSTANTIATE_WITH(fill_host, StridedFill);
SPMV_INSTANTIATE_WITH(fill_host, JaggedFill);
SPMV_INSTANTIATE_WITH(fill_host, SlicedFill);

}  // namespace spmv
