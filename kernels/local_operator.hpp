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
#include "kernels/format_options.hpp"
#include "kernels/parts/fused.hpp"

namespace spmv {

/// assign: y = A x.  add: y += A x.
enum class Update { assign, add };

/// What one product moves and computes at least: the format's arrays once without their padding, which no
/// kernel reads, x once, and y once for assign, twice for add.
struct Traffic {
  double matrix_bytes = 0;
  double vector_bytes = 0;
  double flops = 0;  // 2 per stored nonzero, 8 if complex; padding does not count
};

/// Bytes of x and y, each once: what every product moves beside the format's arrays. Pure.
inline double vector_bytes(double rows, double cols, std::size_t bytes_of_value) {
  return (rows + cols) * static_cast<double>(bytes_of_value);
}

/// Bytes that rates in GB/s count, whatever the format: every value with its column, every row's length, x
/// and y once. Pure.
inline double effective_bytes(double rows, double cols, double nonzeros, std::size_t bytes_of_value) {
  return nonzeros * static_cast<double>(bytes_of_value + sizeof(lidx)) + rows * sizeof(lidx) +
         vector_bytes(rows, cols, bytes_of_value);
}

/// Sizes for the footprint report [Kreutzer 2012, Table 1, first row].
struct Footprint {
  offset nonzeros = 0;
  offset stored_elements = 0;  // with padding
  /// What plain ELLPACK would store: rows, rounded up to the warp size, times the longest row.
  offset ellpack_elements = 0;
  std::size_t bytes = 0;  // all arrays of the format
};

/// A matrix block ready to multiply; holds its arrays in device memory. Its matrix never changes, but some formats keep
/// workspace: products of one operator must follow each other.
template <class T>
class LocalOperator {
 public:
  virtual ~LocalOperator() = default;
  /// Queues y[r(i)] = sum_j a(i,j) x[j] (assign) or y[r(i)] += ... (add) for every row i of the block, where
  /// r is the row list given when it was made, or the identity. Rows outside the list are not touched. x and
  /// y are device memory and do not overlap. Local; returns when queued.
  virtual void apply(Queue& queue, const T* x, T* y, Update update) const = 0;
  /// Whether apply_columns() works: a kernel that reads the block once for all columns. Where it does not, apply_by_columns()
  /// multiplies one column after another.
  virtual bool takes_columns() const { return false; }
  /// apply() for 1 <= k <= most_columns columns at once, stored by rows: element i of column j is x[i * k + j], of y likewise.
  /// On CUDA x and y are aligned to 16 bytes where k * sizeof(T) is a multiple of 16, otherwise to the greatest power of two that
  /// divides it. Local; returns when queued.
  virtual void apply_columns(Queue& /*queue*/, const T* /*x*/, T* /*y*/, int /*k*/, Update /*update*/) const {
    throw Error(ExitCode::internal, "a format that multiplies one vector at a time was given several");
  }
  /// Whether this operator on interior rows and `boundary` on boundary rows can be one kernel that moves the
  /// halo itself, on a GPU of its own.
  virtual bool fuses(const LocalOperator<T>& /*boundary*/) const { return false; }
  /// Queues the product and its exchange as one kernel. Only if fuses(). Every neighbour must do the same, or
  /// the two steps of an exchange (comm/halo_exchange.hpp), once for every call here. Local; returns when queued.
  virtual void apply_fused(Queue& /*queue*/, const LocalOperator<T>& /*boundary*/,
                           const FusedProduct<T>& /*product*/) const {
    throw Error(ExitCode::internal, "a format that takes no part in exchanges was asked to");
  }
  /// Whether apply_summed() of k columns and, of one where it fuses, apply_fused_summed() work on this queue: to scale rows, and
  /// to sum them.
  virtual bool scales(const Queue& /*queue*/, int /*k*/) const { return false; }
  virtual bool sums(const Queue& /*queue*/, int /*k*/) const { return false; }
  /// apply() or apply_columns() of assign that also scales its rows and leaves their inner products: y[i] belongs to own_x[i].
  /// Returns the parts of each sum. Local; returns when queued.
  virtual int apply_summed(Queue& /*queue*/, const T* /*x*/, T* /*y*/, const T* /*own_x*/, int /*k*/,
                           const RowWork<T>& /*sums*/) const {
    throw Error(ExitCode::internal, "a format that sums no rows was asked to");
  }
  /// apply_fused() with the sums that the product wants. Returns the parts of each sum.
  virtual int apply_fused_summed(Queue& /*queue*/, const LocalOperator<T>& /*boundary*/,
                                 const FusedProduct<T>& /*product*/) const {
    throw Error(ExitCode::internal, "a format that sums no rows was asked to");
  }
  /// The operator that `options` would have made; it shares this one's arrays and launches kernels in another way. nullptr if
  /// the format has no choice. Only for options with the same arrays (need_the_same_arrays()). Local.
  virtual std::unique_ptr<LocalOperator<T>> relaunched(const FormatOptions& /*options*/) const {
    return nullptr;
  }
  /// `options`, with the launch options that this operator uses, also where they were left to the format. Pure.
  virtual FormatOptions launched_with(const FormatOptions& options) const { return options; }
  /// What one product moves and computes at least. Pure.
  virtual Traffic traffic(Update update) const = 0;
  /// The same of k columns: the matrix once where takes_columns(), vectors and products k times. Pure.
  Traffic traffic(Update update, int k) const {
    const Traffic one = traffic(update);
    return {takes_columns() ? one.matrix_bytes : k * one.matrix_bytes, k * one.vector_bytes, k * one.flops};
  }
  /// Pure.
  virtual Footprint footprint() const = 0;
  /// What was chosen when it was made, for people, such as "blocks of 3 x 3". Often empty.
  virtual std::string choices() const { return {}; }
};

}  // namespace spmv
