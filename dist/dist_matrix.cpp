#include "dist/dist_matrix.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

#include "core/pick.hpp"
#include "core/range.hpp"
#include "dist/halo_plan_builder.hpp"
#include "dist/split.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// `block` in the format named, or in the one that suits it best. `square`, `row_list` and `known` as in
/// choose_format().
template <class T>
Choice<T> make_operator(Csr<T> block, bool square, const std::vector<lidx>& row_list,
                        const std::string& format_name, const TuneRequest& tune,
                        const std::vector<Known>& known, const std::shared_ptr<Backend>& backend) {
  if (format_name == auto_format) return choose_format(block, square, row_list, backend, tune, known);
  const Format<T>& format = pick(formats<T>(), format_name, "format");
  Choice<T> choice;
  choice.decision.format = format_name;
  choice.decision.options = tune.options;
  choice.row_order = format.row_order(block, tune.options);
  if (square) rename_columns(block, inverse(choice.row_order));
  if (!choice.row_order.empty()) block = permute_rows(block, choice.row_order);
  choice.op = format.make(block, reorder(row_list, choice.row_order), tune.options, backend);
  return choice;
}

/// Says in a scope what the exchange does.
class Doing {
 public:
  Doing(std::atomic<const char*>& step, const char* what) : step_(step) {
    step_.store(what, std::memory_order_relaxed);
  }
  ~Doing() { step_.store(nullptr, std::memory_order_relaxed); }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  std::atomic<const char*>& step_;
};

}  // namespace

template <class T>
DistMatrix<T>::DistMatrix(const Communicator& communicator, const DistributedRows<T>& rows,
                          const DistOptions& options, const std::shared_ptr<Backend>& backend)
    : backend_(backend), layout_(options.layout), comm_core_(options.comm_core) {
  const int me = communicator.rank();
  const gidx first_owned = rows.cols.first(me);
  const gidx owned = rows.cols.count(me);
  const bool square = rows.shape.rows == rows.shape.cols;
  const auto ghosts = communicator.together([&] { return find_ghosts(rows.block.col, first_owned, owned); });

  communicator.together([&] {
    Split<T> parts;
    Csr<T> block;
    if (layout_ == Layout::split) {
      parts = split(rows.block, first_owned, owned, ghosts);
      block = std::move(parts.local);
    } else {
      block = merge(rows.block, first_owned, owned, ghosts);
    }
    rows_ = block.rows;
    Choice<T> main =
        make_operator(std::move(block), square, {}, options.format, options.tune, options.known, backend_);
    main_ = std::move(main.op);
    decision_ = std::move(main.decision);
    row_order_ = std::move(main.row_order);
    if (square) x_order_ = row_order_;
    if (layout_ == Layout::split) {
      const std::vector<lidx> position = inverse(row_order_);
      for (lidx& row : parts.nonlocal_row)
        if (!position.empty()) row = position[static_cast<std::size_t>(row)];
      TuneRequest untried = options.tune;
      untried.trials = false;
      Choice<T> nonlocal = make_operator(std::move(parts.nonlocal), false, parts.nonlocal_row,
                                         options.nonlocal_format, untried, {}, backend_);
      nonlocal_ = std::move(nonlocal.op);
      nonlocal_decision_ = std::move(nonlocal.decision);
    }
  });

  plan_ = std::make_shared<const HaloPlan>(
      renumber(build_halo_plan(communicator, rows.cols, ghosts), inverse(x_order_)));
  communicator.together([&] {
    gather_ = std::make_unique<Gather<T>>(plan_->send_index, backend_);
    packed_ = Buffer<T>(backend_, plan_->send_index.size(), Memory::device);
    compute_ = backend_->make_queue(Priority::normal);
    pack_ = backend_->make_queue(Priority::urgent);
    x_ready_ = backend_->make_event();
    packed_ready_ = backend_->make_event();
    halo_arrived_ = backend_->make_event();
  });
  if (!options.transport.empty())
    use_transport(communicator, options.transport, options.queued_transport, options.probe);
}

template <class T>
void DistMatrix<T>::use_transport(const Communicator& communicator, const std::string& transport,
                                  bool queued_only, ProbeRequest probe) {
  exchange_.reset();  // two at once would need memory for both
  transport_choice_ = {};
  const ExchangeSetup setup{communicator, communicator.node(), plan_, backend_, sizeof(T)};
  probe.queued_only = queued_only;
  TransportChoice choice = transport == auto_transport ? choose_transport(setup, probe)
                                                       : accept_transport(transport, setup, probe);
  std::unique_ptr<HaloExchange> exchange = make_exchange(choice.name, setup);
  if (queued_only && communicator.min(gidx{exchange->queued()}) == 0)
    throw AgreedError(ExitCode::usage,
                      fmt::format("transport {} cannot be queued as a whole, its host has to wait: use "
                                  "--transport auto, or another mode",
                                  choice.name));
  exchange_ = std::move(exchange);
  transport_choice_ = std::move(choice);
}

template <class T>
Buffer<T> DistMatrix<T>::make_x() const {
  return Buffer<T>(backend_, static_cast<std::size_t>(owned()) + static_cast<std::size_t>(ghosts()),
                   Memory::device);
}

template <class T>
Buffer<T> DistMatrix<T>::make_y() const {
  return Buffer<T>(backend_, static_cast<std::size_t>(rows_), Memory::device);
}

template <class T>
std::vector<T> DistMatrix<T>::to_basis(const std::vector<T>& natural_x) const {
  return reorder(natural_x, x_order_);
}

template <class T>
std::vector<T> DistMatrix<T>::from_basis(const std::vector<T>& y) const {
  return reorder(y, inverse(row_order_));
}

template <class T>
void DistMatrix<T>::pack(const T* x, PhaseLog* log) {
  if (plan_->neighbours.empty()) return;
  const Range range("pack");
  compute_->record(*x_ready_);
  pack_->wait(*x_ready_);
  {
    const DevicePhase phase(log, Phase::gather, *pack_);
    gather_->apply(*pack_, x, packed_.data());
  }
  pack_->record(*packed_ready_);
}

template <class T>
void DistMatrix<T>::start_exchange(PhaseLog* log) {
  const Range range("start_exchange");
  const Doing doing(exchange_step_, "sending the halo");
  exchange_->start(reinterpret_cast<const std::byte*>(packed_.data()), *packed_ready_, log);
}

template <class T>
void DistMatrix<T>::finish_exchange(T* x, PhaseLog* log) {
  const Range range("finish_exchange");
  const Doing doing(exchange_step_, "receiving the halo");
  exchange_->finish(reinterpret_cast<std::byte*>(x + owned()), *halo_arrived_, log);
}

template <class T>
void DistMatrix<T>::multiply_merged(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const Range range("multiply_merged");
  const DevicePhase phase(log, Phase::merged, *compute_);
  main_->apply(*compute_, x, y, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_local(const T* x, T* y, PhaseLog* log) {
  const Range range("multiply_local");
  const DevicePhase phase(log, Phase::local, *compute_);
  main_->apply(*compute_, x, y, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_nonlocal(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const Range range("multiply_nonlocal");
  const DevicePhase phase(log, Phase::nonlocal, *compute_);
  nonlocal_->apply(*compute_, x + owned(), y, Update::add);
}

template <class T>
CommThread& DistMatrix<T>::comm_thread() {
  if (!comm_thread_) comm_thread_ = std::make_unique<CommThread>(backend_, comm_core_);
  return *comm_thread_;
}

template <class T>
std::string DistMatrix<T>::waiting_for() const {
  const char* step = exchange_step_.load(std::memory_order_relaxed);
  const std::string what = exchange_ == nullptr ? "" : exchange_->waiting_for();
  if (what.empty()) return step == nullptr ? "" : step;
  return std::string(step == nullptr ? "moving the halo" : step) + ", which waits for " + what;
}

template <class T>
void DistMatrix<T>::poison(T* x, T* y) {
  constexpr unsigned char nan_byte = 0xff;
  compute_->fill(x + owned(), nan_byte, static_cast<std::size_t>(ghosts()) * sizeof(T));
  compute_->fill(y, nan_byte, static_cast<std::size_t>(rows_) * sizeof(T));
  compute_->fill(packed_.data(), nan_byte, packed_.bytes());
  compute_->synchronize();
  exchange_->poison();
}

template class DistMatrix<float>;
template class DistMatrix<double>;
template class DistMatrix<std::complex<float>>;
template class DistMatrix<std::complex<double>>;

}  // namespace spmv
