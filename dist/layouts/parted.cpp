#include "dist/layouts/parted.hpp"

#include <algorithm>
#include <utility>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "kernels/ordered_operator.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// The rank's rows that need no ghosts, and those that do; both ascending.
struct RowLists {
  std::vector<lidx> interior;
  std::vector<lidx> boundary;
};

template <class T>
RowLists find_rows(const Csr<T>& block, lidx owned, lidx group) {
  RowLists rows;
  for (lidx first = 0; first < block.rows; first += group) {
    const lidx end = std::min(block.rows, first + group);
    const bool needs_ghosts =
        std::any_of(block.col.begin() + block.row_ptr[first], block.col.begin() + block.row_ptr[end],
                    [=](lidx col) { return col >= owned; });
    for (lidx row = first; row < end; ++row) (needs_ghosts ? rows.boundary : rows.interior).push_back(row);
  }
  return rows;
}

template <class T>
offset nonzeros_of(const Csr<T>& block, const std::vector<lidx>& rows) {
  offset nonzeros = 0;
  for (const lidx row : rows) nonzeros += block.row_length(row);
  return nonzeros;
}

/// These rows of `block`, with `cols` columns.
template <class T>
Csr<T> take_rows(const Csr<T>& block, const std::vector<lidx>& rows, lidx cols) {
  Csr<T> taken;
  taken.rows = static_cast<lidx>(rows.size());
  taken.cols = cols;
  taken.row_ptr.reserve(rows.size() + 1);
  for (const lidx row : rows) taken.row_ptr.push_back(taken.row_ptr.back() + block.row_length(row));
  taken.col.resize(static_cast<std::size_t>(taken.row_ptr.back()));
  taken.value.resize(taken.col.size());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < taken.rows; ++i) {
    const offset from = block.row_ptr[rows[i]], until = block.row_ptr[rows[i] + 1];
    std::copy(block.col.begin() + from, block.col.begin() + until, taken.col.begin() + taken.row_ptr[i]);
    std::copy(block.value.begin() + from, block.value.begin() + until,
              taken.value.begin() + taken.row_ptr[i]);
  }
  return taken;
}

template <class T>
Parted<T> take_parts(const Csr<T>& block, lidx owned, RowLists rows) {
  Parted<T> parts;
  parts.interior = take_rows(block, rows.interior, owned);
  parts.boundary = take_rows(block, rows.boundary, block.cols);
  parts.interior_row = std::move(rows.interior);
  parts.boundary_row = std::move(rows.boundary);
  return parts;
}

template <class T>
bool interior_is_larger(const Parted<T>& parts) {
  return parts.interior.nonzeros() >= parts.boundary.nonzeros();
}

/// The format for both parts, chosen for the larger one. The operator that choose_format() has built is
/// thrown away: the parts may be regrouped for the format that was chosen, and get row lists.
template <class T>
Decision decide(const Parted<T>& parts, const DistOptions& options, const std::shared_ptr<Backend>& backend) {
  const Csr<T>& larger = interior_is_larger(parts) ? parts.interior : parts.boundary;
  if (options.format == auto_format)
    return choose_format<T>({larger, {}, {}, backend}, options.tune, options.remembered).decision;
  Decision decision;
  decision.format = options.format;
  decision.options = options.tune.options;
  return decision;
}

/// Regroups the parts for a format that stores `group` neighbouring rows together, unless the interior would lose more than
/// half of its nonzeros: if boundary rows are scattered, nearly every group has one, and hardly any interior would be left
/// beside the exchange. Returns whether it has regrouped them.
template <class T>
bool group_rows(const Csr<T>& block, lidx owned, lidx group, Parted<T>& parts) {
  RowLists grouped = find_rows(block, owned, group);
  if (2 * nonzeros_of(block, grouped.interior) < parts.interior.nonzeros()) return false;
  parts = {};  // makes room
  parts = take_parts(block, owned, std::move(grouped));
  return true;
}

/// Clears a list of consecutive rows, which kernels do not need, and returns the first row; leaves any other list, and returns 0.
lidx take_connected(std::vector<lidx>& row_list) {
  if (row_list.empty()) return 0;
  for (std::size_t i = 1; i < row_list.size(); ++i)
    if (row_list[i] != row_list[i - 1] + 1) return 0;
  const lidx first = row_list.front();
  row_list.clear();
  return first;
}

}  // namespace

template <class T>
Parted<T> part(const Csr<T>& block, lidx owned, lidx group) {
  return take_parts(block, owned, find_rows(block, owned, group));
}

template <class T>
Operators<T> build_parted(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend) {
  const lidx owned = rows.owned();
  Parted<T> parts = part(rows.block, owned, 1);
  Operators<T> built;
  built.rows = rows.block.rows;
  const Decision decision = decide(parts, options, backend);
  const Format<T>& format = pick(formats<T>(), decision.format, "format");
  const FormatOptions options_of_both = settled(format, rows.block, decision.options);
  // Slices of block rows stay together, or at least block rows do, so that rows stay aligned with their blocks.
  const lidx block_row = std::max(1, options_of_both.entry_block);
  if (format.keeps_neighbourhood && !group_rows(rows.block, owned, slice_rows * block_row, parts) &&
      block_row > 1)
    group_rows(rows.block, owned, block_row, parts);
  if (parts.boundary.rows == 0) parts.interior_row.clear();  // all rows, as they are

  FormatOptions of_interior = options_of_both, of_boundary = options_of_both;
  FormatOptions& of_smaller = interior_is_larger(parts) ? of_boundary : of_interior;
  // Few threads to a row suit a part with many rows, but would leave a GPU idle with the few rows of the
  // other.
  const FormatOptions for_few = options.nonlocal_options.value_or(options.tune.options);
  of_smaller.threads_per_row = for_few.threads_per_row;

  RowOrder interior_order{format.row_order(parts.interior, of_interior), {}};
  RowOrder boundary_order{format.row_order(parts.boundary, of_boundary), {}};
  std::vector<lidx> interior_list = parts.interior_row.empty()
                                        ? interior_order.rows
                                        : reorder(std::move(parts.interior_row), interior_order.rows);
  std::vector<lidx> boundary_list = reorder(std::move(parts.boundary_row), boundary_order.rows);
  if (!format.keeps_neighbourhood) {
    built.boundary_y = parts.interior.rows;
    built.row_order = std::exchange(interior_list, {});
    built.row_order.insert(built.row_order.end(), boundary_list.begin(), boundary_list.end());
    boundary_list.clear();
    if (rows.square()) {
      // In the basis, of every owned element of x.
      interior_order.position = boundary_order.position = inverse(built.row_order);
      built.x_order = built.row_order;
    }
  }
  if (format.keeps_neighbourhood) {  // a part of a grid cut into slabs, or of a band
    built.interior_y = take_connected(interior_list);
    built.boundary_y = take_connected(boundary_list);
  }
  // The parts share the columns of the basis, see kernels/ordered_operator.hpp.
  const auto build_part = [&](Csr<T> part, const RowOrder& order, const std::vector<lidx>& row_list,
                              const FormatOptions& of_part) {
    return build<T>(format, {part, row_list, of_part, backend, false, order}, &part);
  };
  built.interior = {build_part(std::move(parts.interior), interior_order, interior_list, of_interior),
                    decision};
  built.boundary.op = build_part(std::move(parts.boundary), boundary_order, boundary_list, of_boundary);
  built.boundary.decision.format = decision.format;
  built.boundary.decision.options = of_boundary;
  return built;
}

SPMV_INSTANTIATE(part);
SPMV_INSTANTIATE(build_parted);

}  // namespace spmv
