// One rank's share of a distributed matrix, ready to multiply: plan, operators, exchange, queues and buffers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "comm/comm_thread.hpp"
#include "comm/communicator.hpp"
#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/phase_log.hpp"
#include "dist/dist_options.hpp"
#include "dist/magnitudes.hpp"
#include "dist/operators.hpp"
#include "dist/prepare/redistribute.hpp"
#include "kernels/gather.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// What a matrix has in common with others, so that vectors of theirs are vectors of its own and work follows on one queue.
struct SharedWith {
  std::shared_ptr<Queue> queue;  // of products; nullptr: one of its own
  /// Orders of rows and of owned elements of x, as Operators::row_order and x_order of the others. The formats must leave rows in
  /// the order that they get.
  std::vector<lidx> row_order, x_order;
};

/// The modes are sequences of this class's steps. Vectors are device memory in the rank's own basis: x has
/// owned() elements followed by ghosts() elements of halo, y has rows() elements. The basis is the row order
/// of the format, absorbed into rows, columns and plan when the matrix is built; for a square matrix x and y
/// share it. With several columns() they are multivectors, stored by rows: for each of these elements one of every column, side
/// by side. All columns are multiplied together, by formats that can, and their halos travel together.
///
/// Steps return when their work is queued; y is complete after compute_queue().synchronize(). Steps of one
/// product belong to one thread, except those given to comm_thread().
template <class T>
class DistMatrix {
 public:
  /// Builds the operators and the plan, and sets up a transport if the options name one. `rows` may end
  /// afterwards. Collective; throws AgreedError.
  DistMatrix(const Communicator& communicator, const DistributedRows<T>& rows, const DistOptions& options,
             std::shared_ptr<Backend> backend, const SharedWith& shared = {});

  lidx rows() const { return operators_.rows; }
  lidx owned() const { return plan_->owned; }
  lidx ghosts() const { return plan_->ghosts; }
  int columns() const { return columns_; }
  /// Whether the formats read the matrix once for all columns; otherwise once for each. The same on all ranks only if they have
  /// the same formats.
  bool takes_columns() const;
  const std::string& layout() const { return layout_; }
  /// For one column.
  const HaloPlan& plan() const { return *plan_; }
  const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// This rank's blocks in their formats, and why these were chosen.
  const Operators<T>& operators() const { return operators_; }
  /// How large the elements are.
  const Magnitudes& magnitudes() const { return magnitudes_; }

  /// Changes the transport; `transport` and `needs_queued_exchange` as in DistOptions. Not during a product,
  /// and not beside waiting_for(). If it fails, the matrix has no transport until a later call. Collective;
  /// throws AgreedError.
  void use_transport(const Communicator& communicator, const std::string& transport,
                     bool needs_queued_exchange, const TransportRequest& request);
  /// What moves the halo, and what was captured with it. May not outlive its matrix.
  class HaloMover;
  /// From now on x and y have so many columns. Leaves the matrix without a transport. Not during a product, and not beside
  /// waiting_for(). Collective; throws AgreedError(memory) where they do not fit, or are too long to be numbered.
  void use_columns(const Communicator& communicator, int columns);
  /// Exchanges the transport with that of `mover`, so that several transports take turns without being set up again. An
  /// empty one leaves the matrix without a transport. As use_transport() otherwise; the same on every rank. Local.
  void swap_mover(HaloMover& mover);
  /// What products of so many columns work with: their number, their transport and what use_columns() made. May not outlive its
  /// matrix.
  class ForColumns;
  /// Exchanges these with those of `other`, so that numbers of columns take turns without being set up again. An empty one leaves
  /// the matrix without columns: use_columns() must follow, or another exchange. Work that is queued stays what it is. Not
  /// during a product, and not beside waiting_for(). The same on every rank. Local.
  void swap_columns(ForColumns& other) noexcept;
  /// Which transport moves the halo, and why; its name is empty where there is none yet.
  const TransportChoice& transport_choice() const { return transport_choice_; }

  /// New values for the same pattern: `rows` and `options` are those that the matrix was made of, except for
  /// the values. Formats, bases, plan and transport stay; only the formats' arrays are made anew, after all
  /// queued work. Collective; throws AgreedError.
  void replace_values(const Communicator& communicator, const DistributedRows<T>& rows, DistOptions options);

  /// Device memory for owned() + ghosts() elements of x, or rows() of y, in all columns; not initialised. Local.
  Buffer<T> make_x() const;
  Buffer<T> make_y() const;
  /// From natural order (ids ascending) to the rank's basis: owned() elements. And back: rows() elements. In all columns.
  /// Host memory. Local.
  std::vector<T> to_basis(const std::vector<T>& natural_x) const;
  std::vector<T> from_basis(const std::vector<T>& y) const;

  // Steps of a product; the matrix has a transport. `log` may be nullptr. They throw Error if MPI or the device
  // fails.
  /// Queues the gathering of what neighbours need from x into the send buffer, after all work queued so
  /// far. Where the exchange gathers for itself, only marks that point. Local.
  void gather(const T* x, PhaseLog* log);
  /// Starts the exchange of what gather() was called for, with the same x: HaloExchange::start(). Every rank
  /// starts and finishes the same exchanges; does nothing on one without neighbours.
  void start_exchange(const T* x, PhaseLog* log);
  /// Brings the ghosts to the halo of x: HaloExchange::finish().
  void finish_exchange(T* x, PhaseLog* log);
  /// Queues y = A x after the arrival of the halo. Only where operators().has_interior() is
  /// false. Local.
  void multiply_merged(const T* x, T* y, PhaseLog* log);
  /// Queues the part of the product that waits for no halo; it writes y. Only if operators().has_interior(),
  /// as multiply_boundary(). Local.
  void multiply_interior(const T* x, T* y, PhaseLog* log);
  /// Queues the rest after the arrival of the halo, after multiply_interior(): then y is complete. Local.
  void multiply_boundary(const T* x, T* y, PhaseLog* log);
  /// Whether multiply_fused() can do a whole product on this rank: kernels reach the neighbours' memory, and the
  /// format has kernels with the exchange inside. Its neighbours may do the steps of the same product one by
  /// one. Local.
  bool fuses() const;
  /// y = A x with its exchange, all in one kernel; the halo after x is not touched.
  void multiply_fused(const T* x, T* y);
  /// Whether products can scale their rows, in kernels that multiply anyway: rows are whole, and the formats have such kernels.
  bool scales_rows() const;
  /// Whether products can also leave inner products of their rows: x and y share a basis, too.
  /// Compares orders of rows: ask once.
  bool sums_rows() const;
  /// From now on products scale and sum their rows like this, or do neither for {}. Only where scales_rows(), and sums_rows()
  /// for requests with sums. Local.
  void set_row_work(const RowWork<T>& work) { sums_ = work; }
  /// Parts of each sum that the last product queued has left.
  int parts_of_sums() const { return parts_; }
  /// Queues what steps(*this, x, y) queues: work that begins and ends on the compute queue and waits for
  /// nothing. The first call with these vectors captures it, later calls replay it; `steps` must be the same
  /// function in all calls.
  void replay(T* x, T* y, void (*steps)(DistMatrix& matrix, T* x, T* y));
  /// Work queued on the compute queue after this call starts when the halo has arrived. Local.
  void wait_for_halo() { compute_->wait(*halo_arrived_); }
  Queue& compute_queue() { return *compute_; }
  const std::shared_ptr<Queue>& shared_queue() const { return compute_; }
  /// Whether starting and finishing an exchange only queues work, or there is none.
  bool exchange_is_queued() const { return plan_->neighbours.empty() || exchange_->is_queued(); }
  /// The thread that starts and finishes exchanges in task mode; started at the first call. Local.
  CommThread& comm_thread();
  /// What the exchange under way does and waits for at this moment, such as "receiving the halo, which waits
  /// for messages from rank 3"; empty: no exchange is under way. Local, any thread, never blocks.
  std::string waiting_for() const;

  /// Fills halo, send buffer, staging memory and y with NaN. For tests and verification. Blocks.
  void poison(T* x, T* y);

 private:
  using Block = FormattedBlock<T>;
  void exchange_movers(HaloMover& mover) noexcept;
  /// Queues the product of a block that reads `x_count` elements of each column of x, and rows of y from `at` on.
  void apply(const Block& block, const T* x, lidx x_count, T* y, lidx at, Update update);
  /// Element `i` of column 0.
  std::ptrdiff_t place(lidx i) const { return std::ptrdiff_t{i} * columns_; }
  /// What is wanted of rows whose first belongs to element `first` of x, after `parts` that are there.
  RowWork<T> sums_from(lidx first, int parts) const {
    RowWork<T> sums = sums_.after(parts);
    if (sums.weight != nullptr) sums.weight += place(first);
    if (sums.factors.w != nullptr) sums.factors.w += place(first);
    return sums;
  }
  /// A capture by replay(), and the vectors that it is for.
  struct Captured {
    const T* x;
    const T* y;
    const void* sums;  // where they go; nullptr: none
    const void* other_sums;
    const T* weight;  // of the sums
    int parts;        // of each sum
    std::unique_ptr<Capture> capture;
  };

  std::shared_ptr<Backend> backend_;
  std::string layout_;
  int comm_core_;
  Operators<T> operators_;
  Magnitudes magnitudes_;
  std::shared_ptr<const HaloPlan> plan_;
  int columns_ = 1;
  std::shared_ptr<const HaloPlan> plan_of_columns_;  // what is exchanged: all columns
  Buffer<T> column_x_, column_y_;                    // of blocks that multiply one column after another
  std::unique_ptr<Gather<T>> gather_;
  Buffer<T> send_buffer_;
  TransportChoice transport_choice_;
  std::unique_ptr<HaloExchange> exchange_;
  std::shared_ptr<Queue> compute_;
  std::unique_ptr<Queue> gather_queue_;
  std::unique_ptr<Event> x_ready_;
  std::unique_ptr<Event> gathered_;
  std::unique_ptr<Event> halo_arrived_;
  RowWork<T> sums_;
  int parts_ = 0;
  std::vector<Captured> captured_;                   // the oldest first
  int replaced_ = 0;                                 // how often values were replaced
  std::atomic<const char*> exchange_step_{nullptr};  // for waiting_for(); nullptr: none under way
  std::unique_ptr<CommThread> comm_thread_;          // last: ends before anything it uses
};

template <class T>
class DistMatrix<T>::HaloMover {
  friend class DistMatrix;
  TransportChoice choice_;
  std::unique_ptr<HaloExchange> exchange_;
  std::vector<Captured> captured_;  // last: contains the exchange
  int replaced_ = 0;                // when captures were put away: later ones contain other operators
};

template <class T>
class DistMatrix<T>::ForColumns {
  friend class DistMatrix;
  int columns_ = 1;
  std::shared_ptr<const HaloPlan> plan_;
  std::unique_ptr<Gather<T>> gather_;
  Buffer<T> send_buffer_;
  HaloMover mover_;
};

}  // namespace spmv
