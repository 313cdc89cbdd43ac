// One rank's share of a distributed matrix, ready to multiply: plan, operators, exchange, queues and buffers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "comm/choose_transport.hpp"
#include "comm/comm_thread.hpp"
#include "comm/communicator.hpp"
#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/phase_log.hpp"
#include "dist/redistribute.hpp"
#include "kernels/gather.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// merged: one operator over owned elements and halo. split: a local and a nonlocal operator.
enum class Layout { merged, split };

struct DistOptions {
  Layout layout = Layout::split;
  std::string format = "pjds";           // or "auto": what suits this rank's block, found by trials
  std::string nonlocal_format = "pjds";  // split only; or "auto": by prediction
  std::string transport = "staged";  // or "auto": the fastest for this halo, found by trials; empty: none yet
  bool queued_transport = false;     // the transport must only queue its work, see HaloExchange::queued()
  ProbeRequest probe;                // how transports are tried; queued_only comes from the line above
  TuneRequest tune;                  // its options are those of formats that are named, too
  int comm_core = -1;                // core for the communication thread, see find_cores
  std::vector<Known> known;          // choices made before, for the main operator
};

/// The modes are sequences of this class's steps. Vectors are device memory in the rank's own basis: x has
/// owned() elements followed by ghosts() elements of halo, y has rows() elements. The basis is the row order
/// of the format, absorbed into rows, columns and plan when the matrix is built; for a square matrix x and y
/// share it.
///
/// Steps return when their work is queued; y is complete after compute_queue().synchronize(). Steps of one
/// product belong to one thread, except those given to comm_thread().
template <class T>
class DistMatrix {
 public:
  /// Collective; throws AgreedError.
  DistMatrix(const Communicator& communicator, const DistributedRows<T>& rows, const DistOptions& options,
             const std::shared_ptr<Backend>& backend);

  lidx rows() const { return rows_; }
  lidx owned() const { return plan_->owned; }
  lidx ghosts() const { return plan_->ghosts; }
  Layout layout() const { return layout_; }
  const HaloPlan& plan() const { return *plan_; }
  const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// The merged or local operator; the nonlocal one, or nullptr in the merged layout.
  const LocalOperator<T>& main_operator() const { return *main_; }
  const LocalOperator<T>* nonlocal_operator() const { return nonlocal_.get(); }
  /// This rank's formats, and why they were chosen. The nonlocal one's is empty in the merged layout.
  const Decision& decision() const { return decision_; }
  const Decision& nonlocal_decision() const { return nonlocal_decision_; }

  /// Lets another transport move the halo, as DistOptions::transport names it; `queued_only` is
  /// DistOptions::queued_transport. No product runs meanwhile, and nobody asks waiting_for(). Where it fails,
  /// none moves the halo until a later call. Collective; throws AgreedError.
  void use_transport(const Communicator& communicator, const std::string& transport, bool queued_only,
                     ProbeRequest probe);
  /// Which transport moves the halo, and why. No name: none.
  const TransportChoice& transport_choice() const { return transport_choice_; }

  Buffer<T> make_x() const;
  Buffer<T> make_y() const;
  /// Natural order (ids ascending) to the rank's basis and back. Local, host memory, owned() or rows()
  /// elements.
  std::vector<T> to_basis(const std::vector<T>& natural_x) const;
  std::vector<T> from_basis(const std::vector<T>& y) const;

  // Steps of a product.
  /// Gathers what neighbours need from x into the packed buffer, after all work queued so far.
  void pack(const T* x, PhaseLog* log);
  void start_exchange(PhaseLog* log);
  void finish_exchange(T* x, PhaseLog* log);
  /// y = A x, after the halo has arrived (merged layout).
  void multiply_merged(const T* x, T* y, PhaseLog* log);
  /// y = A_local x; does not wait for the halo.
  void multiply_local(const T* x, T* y, PhaseLog* log);
  /// y += A_nonlocal halo, after the halo has arrived.
  void multiply_nonlocal(const T* x, T* y, PhaseLog* log);
  /// Work queued for computing after this call starts when the halo has arrived.
  void wait_for_halo() { compute_->wait(*halo_arrived_); }
  Queue& compute_queue() { return *compute_; }
  /// Started at the first call.
  CommThread& comm_thread();
  /// What the exchange under way does and waits for at this moment, such as "receiving the halo, which waits
  /// for messages from rank 3"; empty: no exchange is under way. Local, any thread, never blocks.
  std::string waiting_for() const;

  /// Fills halo, packed buffer, staging memory and y with NaN. For tests and verification. Blocks.
  void poison(T* x, T* y);

 private:
  std::shared_ptr<Backend> backend_;
  Layout layout_;
  int comm_core_;
  lidx rows_ = 0;
  std::vector<lidx> row_order_;  // basis position -> natural row; empty: natural
  std::vector<lidx> x_order_;    // likewise for owned elements of x
  std::shared_ptr<const HaloPlan> plan_;
  std::unique_ptr<LocalOperator<T>> main_;
  std::unique_ptr<LocalOperator<T>> nonlocal_;
  Decision decision_;
  Decision nonlocal_decision_;
  std::unique_ptr<Gather<T>> gather_;
  Buffer<T> packed_;
  TransportChoice transport_choice_;
  std::unique_ptr<HaloExchange> exchange_;
  std::unique_ptr<Queue> compute_;
  std::unique_ptr<Queue> pack_;
  std::unique_ptr<Event> x_ready_;
  std::unique_ptr<Event> packed_ready_;
  std::unique_ptr<Event> halo_arrived_;
  std::atomic<const char*> exchange_step_{nullptr};  // for waiting_for(); nullptr: none under way
  std::unique_ptr<CommThread> comm_thread_;          // last: leaves before anything it uses
};

}  // namespace spmv
