// One block in one format on one backend: y = A x or y += A x.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/types.hpp"
#include "kernels/fused.hpp"

namespace spmv {

struct Analysis;

/// assign: y = A x.  add: y += A x.
enum class Update { assign, add };

/// What one product moves and computes at least: the format's arrays once without their padding, which no
/// kernel reads, x once, and y once for assign, twice for add.
struct Traffic {
  double matrix_bytes = 0;
  double vector_bytes = 0;
  double flops = 0;  // 2 per stored nonzero, 8 if complex; padding does not count
};

/// Sizes for the footprint report [Kreutzer 2012, Table 1, first row].
struct Footprint {
  offset nonzeros = 0;
  offset stored_elements = 0;  // with padding
  offset ellpack_elements =
      0;                  // what plain ELLPACK would store: rows, padded to the warp size, times longest row
  std::size_t bytes = 0;  // all arrays of the format
};

/// A matrix block ready to multiply. Immutable after it is made; holds its arrays in device memory.
template <class T>
class LocalOperator {
 public:
  virtual ~LocalOperator() = default;
  /// Queues y[r(i)] = sum_j a(i,j) x[j] (assign) or y[r(i)] += ... (add) for every row i of the block, where
  /// r is the row list given when it was made, or the identity. Rows outside the list are not touched. x and
  /// y are device memory and do not overlap. Local; returns when queued.
  virtual void apply(Queue& queue, const T* x, T* y, Update update) const = 0;
  /// Whether this operator on interior rows and `boundary` on boundary rows can be one kernel that moves the
  /// halo itself, on a GPU of its own.
  virtual bool fuses(const LocalOperator<T>& /*boundary*/) const { return false; }
  /// Queues the product and its exchange as one kernel. Only if fuses(). Every neighbour must do the same, or
  /// put and arrive, once for every call here. Local; returns when queued.
  virtual void apply_fused(Queue& /*queue*/, const LocalOperator<T>& /*boundary*/,
                           const FusedProduct<T>& /*product*/) const {
    throw Error(ExitCode::internal, "a format that takes no part in exchanges was asked to");
  }
  virtual Traffic traffic(Update update) const = 0;
  virtual Footprint footprint() const = 0;
  /// What was chosen when it was made, for people, such as "blocks of 3 x 3". Often empty.
  virtual std::string choices() const { return {}; }
};

/// Options that formats understand; each takes what concerns it and leaves the rest alone.
struct FormatOptions {
  lidx block_rows =
      32;  // pJDS b_r: rows padded together [Kreutzer 2012, sect. 2.1]; best a multiple of the warp size
  lidx chunk_rows = 32;  // SELL-C-sigma: C, rows of a slice; a power of two
  lidx sigma = 1;        // SELL-C-sigma: rows are sorted by length within windows of so many; 1: not at all
  int threads_per_row = 0;      // T, a power of two up to 32; 0: by the length of the rows
  int threads_per_block = 256;  // CUDA: a multiple of the warp size from 64 to 512
  int unroll =
      0;  // CUDA: elements of a row whose loads are in flight together, 4 or 8; 0: by the length of the rows
  bool popular_first = false;  // CSR in tiles: rows whose columns occur most come first
  int entry_block = 0;         // b of b x b blocks, 2 to 6; 0: the one that needs least bytes
};

/// What a format would cost for a block, found from the block's analysis alone. All arrays in device memory.
struct Cost {
  double bytes = 0;        // of all arrays, padding included
  double moved_bytes = 0;  // by one product (assign) at least: arrays without unread padding, x and y once
  double iterations =
      0;             // of all warps together, each of 32 lanes (N_iter of [Wang 2020, Eq. 1], and its likes)
  double chain = 0;  // iterations of the warp that has most: they follow each other
  double along_diagonals = 0;  // of `iterations`, those in which no lane loads a column of its own
};

/// Table row: a storage format for value type T.
template <class T>
struct Format {
  const char* name;
  const char* summary;
  /// The order in which the format wants its rows: element i is the row that comes i-th. Empty: as they are.
  /// Pure. The caller permutes the block (and, for a square local block, its columns) before make().
  std::vector<lidx> (*row_order)(const Csr<T>& block, const FormatOptions& options);
  /// Builds the format on the host, checks that it fits, moves it to the device. `block` is in row_order
  /// already. `row_list` (empty, or one y index per row of the block) says which element of y each row
  /// writes. Throws Error(memory), before it allocates, if the format needs more than the backend has free:
  /// the message says how much it needs, how much there is, and which format needs less.
  std::unique_ptr<LocalOperator<T>> (*make)(const Csr<T>& block, const std::vector<lidx>& row_list,
                                            const FormatOptions& options,
                                            const std::shared_ptr<Backend>& backend);
  /// Pure.
  Cost (*cost)(const Analysis& analysis, const FormatOptions& options);
  /// Empty where make() can work, otherwise the reason and the mend. nullptr: on every backend.
  std::string (*why_unusable)(const Backend& backend) = nullptr;
  /// Whether it stores zeros among the nonzeros and multiplies them, so that infinity or NaN in an element of
  /// x that a row does not refer to can reach the row. Only baselines may.
  bool multiplies_fill = false;
  /// Whether it stores columns as short distances, which rows and elements of x in their old order keep
  /// short.
  bool keeps_neighbourhood = false;
};

/// Empty where `format` can run on `backend`, otherwise the reason and the mend.
template <class T>
std::string why_unusable(const Format<T>& format, const Backend& backend) {
  return format.why_unusable == nullptr ? std::string() : format.why_unusable(backend);
}

/// All formats, in the order of --help.
template <class T>
const std::vector<Format<T>>& formats();

}  // namespace spmv
