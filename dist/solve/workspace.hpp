// What a solver works with on one rank: products, combinations of vectors, and sums of all ranks. Everything is queued on one
// queue; the host reads only the record, some lines back. A workspace belongs to no matrix: any operator multiplies on it.
//
// With several columns, vectors are multivectors of so many columns, stored by rows, and every number and sum is one of each
// column: a method written for one vector works on all of them side by side.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/buffer.hpp"
#include "dist/solve/operator.hpp"
#include "dist/solve/rank_sums.hpp"
#include "kernels/combine/combination.hpp"
#include "kernels/combine/combine.hpp"

namespace spmv {

/// Slots for the inner products of a product y = A x, and what y is multiplied by in the second one.
template <class T>
struct ProductSums {
  int xy;               // of (x, y)
  int yy;               // of (y, w y)
  T* weight = nullptr;  // w, a diagonal; nullptr: 1
};

/// y = alpha A x + beta x + gamma y; y is not read where gamma is 0.
struct Recurrence {
  double alpha, beta, gamma;
};

template <class T>
class Workspace {
 public:
  /// A loop for the length of a scope, also where it ends by an exception: see begin_loop().
  class Loop {
   public:
    explicit Loop(Workspace& on) : on_(on) { on_.begin_loop(); }
    ~Loop() { on_.end_loop(); }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

   private:
    Workspace& on_;
  };

  /// Work is queued on `queue`, which must outlive this. Collective; throws AgreedError as RankSums.
  Workspace(const Communicator& communicator, const std::shared_ptr<Backend>& backend, Queue& queue,
            const std::string& sums_transport, const TransportRequest& request, int columns = 1);
  /// Waits for the work that is queued: it reads and writes the numbers, also where a caller has stopped early and left it alone.
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const Communicator& communicator() const { return communicator_; }
  /// Those of its vectors, and of the operators that multiply on it.
  int columns() const { return scalars_.columns(); }
  Backend& backend() const { return *backend_; }
  Queue& queue() const { return queue_; }
  /// The transports of the sums over ranks, one after the other where they take several rounds; empty on one rank.
  std::vector<std::string> sums_transports() const { return sums_.transports(); }
  /// What work under way waits for at this moment, such as "adding up sums, which waits for flags from rank 3"; empty: for no
  /// other rank, or not known. Local, any thread, never blocks.
  std::string waiting_for() const;

  /// Before matrices go that products were queued of: waiting_for() does not look at them any more. Waits. Local.
  void forget_matrices();

  /// Queues y = A x, of vectors in the bases of A; x has room for its halo. Where A has a queue of its own, that waits for this
  /// one and this one for it. A outlives what is queued. Collective.
  void multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y);
  /// Queues y = alpha A x + beta w, in one kernel where the format can; w may be x, but not y. Collective.
  void multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y, double alpha, double beta,
                const VectorRef<T>& w);
  /// Queues y = A x and leaves its inner products in parts; x and y are in the same basis. Collective.
  void multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y,
                const ProductSums<T>& sums);
  /// Queues a step of a recurrence and leaves its inner products in parts, all in the product's kernel. Only where A.sums().
  /// Collective.
  void multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y,
                const Recurrence& recurrence, const ProductSums<T>& sums);
  /// Queues a combination and returns the number of the line that it records. Local.
  std::uint64_t run(const Combination<T>& combination);
  /// What is queued here after this call starts after what is queued on `other`; and the other way round. Local.
  void wait_for(Queue& other);
  void hold(Queue& other);
  /// From here to the end of the loop, a combination whose requirements do not hold lets all later ones change nothing, so that
  /// iterations that were queued too many do no harm. Local.
  void begin_loop();
  void end_loop() { in_loop_ = false; }
  /// As if a requirement did not hold in this column: for the rest of the loop it changes nothing more. Local; returns when queued.
  void stop(int column) { scalars_.stop(queue_, column); }
  /// Queues the sums of all ranks: slots 0 to most_sums - 1 get the totals of their parts. Collective.
  void add_up() {
    sums_.start(queue_);
    sums_.finish(queue_);
  }
  /// The same in two steps: what is queued between them hides it, if it reads and leaves no sums. Collective.
  void start_adding_up() {
    sums_.start(queue_);
    beside_ = true;
  }
  void finish_adding_up() {
    beside_ = false;
    sums_.finish(queue_);
  }

  /// Queues what trials time for a solver: y = A x with its sums, and a kernel that changes x before the next product, as there
  /// is one in every iteration. A product right after another one would begin while that one ends. Collective.
  void multiply_and_change(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y);

  /// The numbers of a recorded line, which is waited for. Lines come in order. Local; throws Error if the device fails.
  std::array<double, record_width> line(std::uint64_t number, int column = 0);
  /// The total in a slot: waits for all that is queued. Local.
  ScalarOf<T> read(int slot, int column = 0);
  /// Puts a number of each column into a slot, after all that is queued; blocks. Local.
  void write(int slot, const std::vector<double>& of_columns);
  /// |v| of each column: waits for all that is queued. Uses slot 0. Collective.
  std::vector<double> norms(const VectorRef<T>& v);
  /// That of column 0.
  double norm(const VectorRef<T>& v) { return norms(v).front(); }
  /// How many lines the host may leave unread so that the device never waits for it; the same on all ranks.
  std::uint64_t lines_ahead() const { return lines_ahead_; }
  /// why_no_own_kernels() of kernels/combine/combine.hpp; empty on hosts. Local.
  std::string why_no_own_kernels() const { return spmv::why_no_own_kernels(queue_); }

 private:
  void queue(const Combination<T>& combination, std::uint64_t line);
  void queue_product(const Operator<T>& A, T* x, T* y, const RowWork<T>& request);
  void queue_summed(const Operator<T>& A, T* x, T* y, const ProductSums<T>& sums,
                    const std::optional<RowFactors<T>>& factors);

  Communicator communicator_;
  std::shared_ptr<Backend> backend_;
  Queue& queue_;
  std::unique_ptr<Event> here_, there_;  // handed from queue to queue
  Scalars<T> scalars_;
  RankSums<T> sums_;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ahead_;
  bool in_loop_ = false;
  std::atomic<bool> beside_{false};  // whether sums travel beside other work: nobody waits for them yet
  std::atomic<const DistMatrix<T>*> newest_{nullptr};  // that was multiplied by
  mutable std::mutex looking_;                         // at newest_
};

}  // namespace spmv
