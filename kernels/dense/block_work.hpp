// The dense part of methods that work with blocks of vectors: inner products of the columns of multivectors, and combinations of
// columns with a small dense matrix. A block is a multivector of k columns, stored by rows.
//
//   gram      G_b = X_b^H Y                  for every block X_b of a list
//   combine   Y = X_0 C_0 + X_1 C_1 + ...    [+ Y]
//
// Sums and coefficients are in double precision for every value type.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "kernels/combine/vector.hpp"
#include "kernels/dense/block_data.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// Small dense matrices are k x k, by rows, one after the other: element (i, j) of block b is number (b k + i) k + j.
template <class T>
class BlockWork {
 public:
  using Element = DenseElement<T>;
  /// For blocks of `columns`, 1 to most_columns. Local; throws Error(memory).
  BlockWork(const std::shared_ptr<Backend>& backend, int columns);

  int columns() const { return columns_; }
  /// G_b of this rank's rows, for every block of the list. Waits for all that is queued. The same bits in every run with as many
  /// threads. Local; throws Error if the device fails.
  std::vector<Element> gram(Queue& queue, const std::vector<VectorRef<T>>& x, const VectorRef<T>& y);
  /// Queues Y = sum_b X_b C_b, or what Y holds and that. C has k rows for each block. Y is none of the X_b. Local; returns when
  /// queued, and `c` may change then.
  void combine(Queue& queue, const std::vector<VectorRef<T>>& x, const std::vector<Element>& c,
               const VectorRef<T>& y, Update update = Update::assign);

 private:
  /// The blocks of a list from number `first` on, as many as one kernel takes.
  BlockList<T> list(const std::vector<VectorRef<T>>& x, std::size_t first, const VectorRef<T>& y) const;
  std::size_t elements(std::size_t blocks) const {
    return blocks * static_cast<std::size_t>(columns_ * columns_);
  }
  void add_some(Queue& queue, CombineRequest<T> request, const Element* c);
  /// Coefficients on their way to the device.
  struct Sent {
    Buffer<Element> staging, device;
    std::unique_ptr<Event> read;
  };

  int columns_;
  int parts_;  // partial sums of each element: of the threads, or thread blocks
  Buffer<Element> partial_, sums_, sums_on_host_;
  std::vector<Sent> sent_;  // in turns
  std::size_t turn_ = 0;
};

}  // namespace spmv
