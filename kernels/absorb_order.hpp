// When the order in which a format wants its rows is absorbed: here, once, before the format is built.
//
//   natural rows ─► Format::row_order ─► block in that order ─► Format::make
//                                     └► Format::make_in_order, of formats that move the elements as they build
//
// The order is applied to the rows, to the row list, which has an entry per row, and where the block is
// `square` to its columns too, so that x and y share one order and no kernel goes through a permutation.
// `square` speaks of the whole matrix: column c < block.rows is then the element of x that belongs to row c.
// Further columns, those of the halo, stay where they are.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

/// `block` with `order` absorbed; an empty order changes nothing. Pure.
template <class T>
Csr<T> absorb(const Csr<T>& block, const std::vector<lidx>& order, bool square) {
  return permute_rows(block, order, square ? inverse(order) : std::vector<lidx>{});
}

/// A block in some format, and the order of its rows: element i is the natural row that comes i-th. Empty:
/// natural.
template <class T>
struct OrderedOperator {
  std::vector<lidx> row_order;
  std::unique_ptr<LocalOperator<T>> op;
};

/// The order `rows`, in which the columns of a `square` block, up to its number of rows, take part. Pure.
inline RowOrder row_order(std::vector<lidx> rows, bool square) {
  RowOrder order{std::move(rows), {}};
  if (square) order.position = inverse(order.rows);
  return order;
}

/// Builds `format` on the natural `block` in the format's own order. `row_list` as in Format::make, for the
/// rows as they are in `block`. Throws as Format::make. Local.
template <class T>
OrderedOperator<T> make_ordered(const Format<T>& format, const Csr<T>& block, bool square,
                                const std::vector<lidx>& row_list, const FormatOptions& options,
                                const std::shared_ptr<Backend>& backend) {
  std::vector<lidx> rows = format.row_order(block, options);
  if (rows.empty()) return {{}, format.make(block, row_list, options, backend)};
  const std::vector<lidx> moved_list = reorder(row_list, rows);
  if (format.make_in_order == nullptr) {
    auto op = format.make(absorb(block, rows, square), moved_list, options, backend);
    return {std::move(rows), std::move(op)};
  }
  RowOrder order = row_order(std::move(rows), square);
  auto op = format.make_in_order(block, order, moved_list, options, backend);
  return {std::move(order.rows), std::move(op)};
}

/// The same for a block that is needed no longer: it is freed before the format takes memory, unless the format reads it.
template <class T>
OrderedOperator<T> make_ordered(const Format<T>& format, Csr<T>&& block, bool square,
                                const std::vector<lidx>& row_list, const FormatOptions& options,
                                const std::shared_ptr<Backend>& backend) {
  if (format.make_in_order != nullptr)
    return make_ordered(format, std::as_const(block), square, row_list, options, backend);
  OrderedOperator<T> made{format.row_order(block, options), nullptr};
  if (!made.row_order.empty()) block = absorb(block, made.row_order, square);
  made.op = format.make(block, reorder(row_list, made.row_order), options, backend);
  return made;
}

}  // namespace spmv
