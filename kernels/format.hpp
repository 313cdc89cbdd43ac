// A storage format as a row of the table that --format, --help, the tuner and the tests read: how a block is stored and
// multiplied. What a format costs is in kernels/tune.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "kernels/format_options.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

/// A block, and how to build it.
template <class T>
struct BuildRequest {
  const Csr<T>& block;         // on the host; has to live until the format is built
  std::vector<lidx> row_list;  // the element of y that each row of the block writes; empty: row i writes y[i]
  FormatOptions options;
  std::shared_ptr<Backend> backend;
  bool square = false;  // columns below block.rows follow the order of the rows, see ordered_operator.hpp
  RowOrder order = {};  // how the rows of the block are stored; row_list is in this order
};

/// The row_order of a format that takes the rows as they are: empty. Pure.
template <class T>
std::vector<lidx> keep_row_order(const Csr<T>&, const FormatOptions&) {
  return {};
}

/// Table row: a storage format for value type T.
template <class T>
struct Format {
  const char* name = nullptr;
  const char* summary = nullptr;
  /// Lists show formats in ascending order of this number; equal numbers keep the order of the families.
  int listed_at = 1000;
  /// The order in which the format wants its rows: element i is the row that comes i-th. Empty: as they are. Pure.
  std::vector<lidx> (*row_order)(const Csr<T>& block, const FormatOptions& options) = keep_row_order<T>;
  /// Builds the format on the device, from a block on the host. If moves_rows, it applies request.order; otherwise the block
  /// is in row_order already. Throws Error(memory), before it takes the memory, if the
  /// format needs more than the backend has free: the message says how much it needs, how much there is, and which format
  /// needs less.
  std::unique_ptr<LocalOperator<T>> (*make)(const BuildRequest<T>& request) = nullptr;
  /// Whether make() applies request.order as it builds, so that no permuted copy of the block is needed. Other formats get
  /// a permuted block and an empty order.
  bool moves_rows = false;
  /// Replaces every option that is left to the block by the value chosen for this block. Two blocks that shall be one kernel
  /// get the options settled for one of them. nullptr: no option depends on the block. Pure.
  FormatOptions (*settle)(const Csr<T>& block, const FormatOptions& options) = nullptr;
  /// Whether two blocks in this format, made on a GPU with the same settled options, can be one kernel with the
  /// exchange inside, so that LocalOperator::fuses() is true of them.
  bool fuses = false;
  /// Whether its kernels on a GPU can sum rows, so that LocalOperator::sums() is true of most blocks.
  bool sums = false;
  /// Whether it has kernels for several vectors at once, so that LocalOperator::takes_columns() is true.
  bool columns = false;
  /// The same as `sums`, of several columns.
  bool sums_columns = false;
  /// Whether it stores zeros among the nonzeros and multiplies them, so that infinity or NaN in an element of
  /// x that a row does not refer to can reach the row. Only baselines may.
  bool multiplies_fill = false;
  /// Whether it stores columns as distances, which are short as long as rows and elements of x keep their
  /// order: layout parted then leaves both in natural order.
  bool keeps_neighbourhood = false;
  /// Empty where make() can work, otherwise the reason and the remedy. nullptr: on every backend.
  std::string (*why_unusable)(const Backend& backend) = nullptr;
};

/// Format::settle, or `options` as they are. Pure.
template <class T>
FormatOptions settled(const Format<T>& format, const Csr<T>& block, const FormatOptions& options) {
  return format.settle == nullptr ? options : format.settle(block, options);
}

/// Empty where `format` can run on `backend`, otherwise the reason and the remedy.
template <class T>
std::string why_unusable(const Format<T>& format, const Backend& backend) {
  return format.why_unusable == nullptr ? std::string() : format.why_unusable(backend);
}

/// All formats, in the order of --help.
template <class T>
const std::vector<Format<T>>& formats();

}  // namespace spmv
