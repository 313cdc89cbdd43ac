// Applies the order in which a format wants its rows, once, before or while the format is built.
//
//   natural rows ─► Format::row_order ─► Format::make, where it moves the rows itself (Format::moves_rows)
//                                     └► permuted block ─► Format::make
//
// The order is applied to the rows and to the row list, which has an entry per row. If the whole matrix is `square`, it
// is applied to the block's own columns, too: column c < block.rows is then the element of x that belongs to row c. So x
// and y share one order, and no kernel goes through a permutation. The columns of the halo stay where they are.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

/// A block in some format, and the order of its rows: element i is the natural row that comes i-th. Empty:
/// natural.
template <class T>
struct OrderedOperator {
  std::vector<lidx> row_order;
  std::unique_ptr<LocalOperator<T>> op;
};

/// The order `rows`, which the own columns of a `square` block follow. Pure.
inline RowOrder make_row_order(std::vector<lidx> rows, bool square) {
  RowOrder order{std::move(rows), {}};
  if (square) order.position = inverse(order.rows);
  return order;
}

/// `block` with its rows in `order` and its columns renamed. Pass the block as `disposable` if it may
/// be freed. Local.
template <class T>
Csr<T> permuted(const Csr<T>& block, const RowOrder& order, Csr<T>* disposable = nullptr) {
  Csr<T> moved;
  if (!order.rows.empty()) {
    moved = permute_rows(block, order.rows, order.position);
  } else {
    moved = disposable != nullptr ? std::move(*disposable) : block;
    rename_columns(moved, order.position);
  }
  if (disposable != nullptr) *disposable = {};
  return moved;
}

/// Format::make with request.order applied: by the format as it builds, or else to a copy of the block. Pass request.block
/// as `disposable` if it may be freed: that happens before the format takes memory, unless the format reads the block.
/// Throws as Format::make. Local.
template <class T>
std::unique_ptr<LocalOperator<T>> build(const Format<T>& format, const BuildRequest<T>& request,
                                        Csr<T>* disposable = nullptr) {
  const bool as_it_is = request.order.rows.empty() && request.order.position.empty();
  if (format.moves_rows || as_it_is) return format.make(request);
  const Csr<T> moved = permuted(request.block, request.order, disposable);
  return format.make({moved, request.row_list, request.options, request.backend});
}

/// Builds `format` on the natural block of the request in the format's own order; request.order is not read. Otherwise as
/// build().
template <class T>
OrderedOperator<T> make_ordered(const Format<T>& format, BuildRequest<T> request,
                                Csr<T>* disposable = nullptr) {
  request.order = make_row_order(format.row_order(request.block, request.options), request.square);
  request.row_list = reorder(std::move(request.row_list), request.order.rows);
  auto op = build(format, request, disposable);
  return {std::move(request.order.rows), std::move(op)};
}

}  // namespace spmv
