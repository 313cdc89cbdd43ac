#include "dist/dist_matrix.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "comm/choose/choose_transport.hpp"
#include "core/pick.hpp"
#include "core/range.hpp"
#include "core/value_types.hpp"
#include "dist/layouts.hpp"
#include "dist/prepare/halo_plan_builder.hpp"
#include "kernels/by_columns.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// Names in `step`, for the time of a scope, what the exchange does: see waiting_for().
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

/// Operators of rows and columns in the orders of other matrices. Throws Error(usage) if a format wants another order.
template <class T>
Operators<T> build_in_order(const Layout<T>& layout, const DistributedRows<T>& rows,
                            const DistOptions& options, const std::shared_ptr<Backend>& backend,
                            const SharedWith& shared) {
  DistributedRows<T> moved = rows;
  if (shared.row_order.empty())
    rename_columns(moved.block, inverse(shared.x_order));
  else
    moved.block = permute_rows(rows.block, shared.row_order, inverse(shared.x_order));
  Operators<T> built = layout.build(moved, options, backend);
  if (!built.row_order.empty() || !built.x_order.empty())
    throw Error(ExitCode::usage, "layout " + options.layout + " with format " + options.format +
                                     " moves rows, which have to stay in the order of another matrix");
  built.row_order = shared.row_order;
  built.x_order = shared.x_order;
  return built;
}

}  // namespace

template <class T>
DistMatrix<T>::DistMatrix(const Communicator& communicator, const DistributedRows<T>& rows,
                          const DistOptions& options, std::shared_ptr<Backend> backend,
                          const SharedWith& shared)
    : backend_(std::move(backend)), layout_(options.layout), comm_core_(options.comm_core) {
  operators_ = communicator.together([&] {
    const Layout<T>& layout = pick(layouts<T>(), options.layout, "layout");
    if (shared.row_order.empty() && shared.x_order.empty()) return layout.build(rows, options, backend_);
    return build_in_order(layout, rows, options, backend_, shared);
  });
  plan_ = std::make_shared<const HaloPlan>(
      renumber(build_halo_plan(communicator, rows.cols, rows.ghosts), inverse(operators_.x_order)));
  communicator.together([&] {
    compute_ = shared.queue != nullptr ? shared.queue : backend_->make_queue(Priority::normal);
    gather_queue_ = backend_->make_queue(Priority::urgent);
    x_ready_ = backend_->make_event();
    gathered_ = backend_->make_event();
    halo_arrived_ = backend_->make_event();
  });
  use_columns(communicator, options.tune.columns);
  magnitudes_ = find_magnitudes(communicator, rows.block);
  if (!options.transport.empty())
    use_transport(communicator, options.transport, options.needs_queued_exchange, options.transport_request);
}

template <class T>
bool DistMatrix<T>::takes_columns() const {
  const auto blocks = operators_.blocks();
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const Block* block) { return block->op->takes_columns(); });
}

template <class T>
void DistMatrix<T>::use_columns(const Communicator& communicator, int columns) {
  compute_->synchronize();
  captured_.clear();
  exchange_.reset();
  transport_choice_ = {};
  communicator.together([&] {
    if (columns < 1 || columns > most_columns)
      throw Error(ExitCode::usage,
                  fmt::format("{} columns were asked for: 1 to {} can be multiplied together", columns,
                              most_columns));
    const offset elements = std::max<offset>(offset{owned()} + ghosts(), rows());
    if (elements * columns > std::numeric_limits<lidx>::max())
      throw Error(ExitCode::memory,
                  fmt::format("{} columns of {} elements are more than a rank can number: use more ranks "
                              "or fewer columns",
                              columns, elements));
    columns_ = columns;
    plan_of_columns_ = columns == 1 ? plan_ : std::make_shared<const HaloPlan>(for_columns(*plan_, columns));
    gather_ = std::make_unique<Gather<T>>(plan_of_columns_->send_index, backend_);
    send_buffer_ = Buffer<T>(backend_, plan_of_columns_->send_index.size(), Memory::device);
    if (columns == 1 || takes_columns() || column_y_.size() > 0)
      return;  // captures may contain those that are there
    const auto x_count = static_cast<std::size_t>(owned()) + static_cast<std::size_t>(ghosts());
    column_x_ = Buffer<T>(backend_, x_count, Memory::device);
    column_y_ = Buffer<T>(backend_, static_cast<std::size_t>(rows()), Memory::device);
  });
}

template <class T>
void DistMatrix<T>::apply(const Block& block, const T* x, lidx x_count, T* y, lidx at, Update update) {
  y += place(at);
  if (columns_ == 1) return block.op->apply(*compute_, x, y, update);
  if (block.op->takes_columns()) return block.op->apply_columns(*compute_, x, y, columns_, update);
  apply_by_columns(*block.op, *compute_, x, y, columns_, update,
                   ColumnScratch<T>{column_x_.data(), x_count, column_y_.data(), rows() - at});
}

template <class T>
void DistMatrix<T>::use_transport(const Communicator& communicator, const std::string& transport,
                                  bool needs_queued_exchange, const TransportRequest& request) {
  compute_->synchronize();
  captured_.clear();  // captures contain the old exchange
  exchange_.reset();  // before the new one is made: two at once would need memory for both
  transport_choice_ = {};
  const ExchangeSetup setup{communicator, communicator.node(), plan_of_columns_, backend_, sizeof(T)};
  ChosenExchange chosen = set_up_transport(transport, setup, request, needs_queued_exchange);
  exchange_ = std::move(chosen.exchange);
  transport_choice_ = std::move(chosen.choice);
}

template <class T>
void DistMatrix<T>::swap_mover(HaloMover& mover) {
  compute_->synchronize();
  exchange_movers(mover);
}

template <class T>
void DistMatrix<T>::exchange_movers(HaloMover& mover) noexcept {
  std::swap(transport_choice_, mover.choice_);
  std::swap(exchange_, mover.exchange_);
  std::swap(captured_, mover.captured_);
  if (std::exchange(mover.replaced_, replaced_) != replaced_) captured_.clear();
}

template <class T>
void DistMatrix<T>::swap_columns(ForColumns& other) noexcept {
  exchange_movers(other.mover_);
  std::swap(columns_, other.columns_);
  std::swap(plan_of_columns_, other.plan_);
  std::swap(gather_, other.gather_);
  std::swap(send_buffer_, other.send_buffer_);
}

template <class T>
void DistMatrix<T>::replace_values(const Communicator& communicator, const DistributedRows<T>& rows,
                                   DistOptions options) {
  communicator.together([&] {
    compute_->synchronize();
    captured_.clear();  // captures contain the old operators
    ++replaced_;
    Operators<T>& old = operators_;
    const Layout<T>& layout = pick(layouts<T>(), layout_, "layout");
    // What says so in `old` is not there where this has failed before.
    const Decision decision = (layout.has_interior ? old.interior : old.merged).decision;
    const Decision of_boundary = old.boundary.decision;
    options.nonlocal_format = of_boundary.format;
    options.nonlocal_options = layout.chooses_boundary ? of_boundary.options : options.tune.options;
    options.format = decision.format;
    options.tune.options = decision.options;
    for (FormattedBlock<T>* block : {&old.merged, &old.interior, &old.boundary})
      block->op.reset();  // both at once would need twice the memory
    Operators<T> replaced = layout.build(rows, options, backend_);
    if (replaced.row_order != old.row_order || replaced.x_order != old.x_order)
      throw Error(ExitCode::internal, "other values gave the rows another order");
    (layout.has_interior ? replaced.interior : replaced.merged).decision = decision;
    replaced.boundary.decision = of_boundary;
    old = std::move(replaced);
  });
  magnitudes_ = find_magnitudes(communicator, rows.block);
}

template <class T>
Buffer<T> DistMatrix<T>::make_x() const {
  return Buffer<T>(backend_, static_cast<std::size_t>(place(owned()) + place(ghosts())), Memory::device);
}

template <class T>
Buffer<T> DistMatrix<T>::make_y() const {
  return Buffer<T>(backend_, static_cast<std::size_t>(place(rows())), Memory::device);
}

template <class T>
std::vector<T> DistMatrix<T>::to_basis(const std::vector<T>& natural_x) const {
  return reorder(natural_x, operators_.x_order, columns_);
}

template <class T>
std::vector<T> DistMatrix<T>::from_basis(const std::vector<T>& y) const {
  return reorder(y, inverse(operators_.row_order), columns_);
}

template <class T>
void DistMatrix<T>::gather(const T* x, PhaseLog* log) {
  if (plan_->neighbours.empty()) return;
  const Range range("gather");
  compute_->record(*x_ready_);
  if (exchange_->gathers()) return;
  gather_queue_->wait(*x_ready_);
  {
    const DevicePhase phase(log, Phase::gather, *gather_queue_);
    gather_->apply(*gather_queue_, x, send_buffer_.data());
  }
  gather_queue_->record(*gathered_);
}

template <class T>
void DistMatrix<T>::start_exchange(const T* x, PhaseLog* log) {
  if (plan_->neighbours.empty()) return;
  const Range range("start_exchange");
  const Doing doing(exchange_step_, "sending the halo");
  if (exchange_->gathers())
    exchange_->start_gathering(reinterpret_cast<const std::byte*>(x), gather_->index(), *x_ready_, log);
  else
    exchange_->start(reinterpret_cast<const std::byte*>(send_buffer_.data()), *gathered_, log);
}

template <class T>
void DistMatrix<T>::finish_exchange(T* x, PhaseLog* log) {
  if (plan_->neighbours.empty()) return;
  const Range range("finish_exchange");
  const Doing doing(exchange_step_, "receiving the halo");
  exchange_->finish(reinterpret_cast<std::byte*>(x + place(owned())), *halo_arrived_, log);
}

template <class T>
void DistMatrix<T>::multiply_merged(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const Range range("multiply_merged");
  const DevicePhase phase(log, Phase::merged, *compute_);
  if (sums_.any())
    parts_ = operators_.merged.op->apply_summed(*compute_, x, y, x, columns_, sums_);
  else
    apply(operators_.merged, x, owned() + ghosts(), y, 0, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_interior(const T* x, T* y, PhaseLog* log) {
  const Range range("multiply_interior");
  const DevicePhase phase(log, Phase::interior, *compute_);
  const lidx at = operators_.interior_y;
  if (sums_.any())
    parts_ = operators_.interior.op->apply_summed(*compute_, x, y + place(at), x + place(at), columns_,
                                                  sums_from(at, 0));
  else
    apply(operators_.interior, x, owned(), y, at, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_boundary(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const Range range("multiply_boundary");
  const DevicePhase phase(log, Phase::boundary, *compute_);
  const lidx at = operators_.boundary_y;
  const lidx from = operators_.boundary_x;
  if (sums_.any())
    parts_ += operators_.boundary.op->apply_summed(*compute_, x + place(from), y + place(at), x + place(at),
                                                   columns_, sums_from(at, parts_));
  else
    apply(operators_.boundary, x + place(from), owned() + ghosts() - from, y, at, operators_.boundary_update);
}

template <class T>
bool DistMatrix<T>::scales_rows() const {
  if (operators_.has_interior() && operators_.boundary_update != Update::assign) return false;
  const auto blocks = operators_.blocks();
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const Block* block) { return block->op->scales(*compute_, columns_); });
}

template <class T>
bool DistMatrix<T>::sums_rows() const {
  if (operators_.x_order != operators_.row_order || rows() != owned() || !scales_rows()) return false;
  const auto blocks = operators_.blocks();
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const Block* block) { return block->op->sums(*compute_, columns_); });
}

template <class T>
bool DistMatrix<T>::fuses() const {
  return columns_ == 1 && operators_.has_interior() && operators_.boundary_update == Update::assign &&
         compute_->takes_cuda_kernels() && exchange_->peers() != nullptr &&
         operators_.interior.op->fuses(*operators_.boundary.op);
}

template <class T>
void DistMatrix<T>::multiply_fused(const T* x, T* y) {
  const Range range("multiply_fused");
  const FusedProduct<T> product{*exchange_->peers(),
                                gather_->index(),
                                x,
                                owned(),
                                y + operators_.interior_y,
                                y + operators_.boundary_y,
                                operators_.interior_y,
                                operators_.boundary_y,
                                sums_};
  if (sums_.any())
    parts_ = operators_.interior.op->apply_fused_summed(*compute_, *operators_.boundary.op, product);
  else
    operators_.interior.op->apply_fused(*compute_, *operators_.boundary.op, product);
}

template <class T>
void DistMatrix<T>::replay(T* x, T* y, void (*steps)(DistMatrix& matrix, T* x, T* y)) {
  // An iteration uses few pairs of vectors. Beyond this number, the oldest captures are dropped.
  constexpr std::size_t most = 16;
  if (sums_.scales) return steps(*this, x, y);  // factors may differ every time
  auto found = std::find_if(captured_.begin(), captured_.end(), [&](const Captured& r) {
    return r.x == x && r.y == y && r.sums == sums_.xy && r.other_sums == sums_.yy && r.weight == sums_.weight;
  });
  if (found == captured_.end()) {
    if (captured_.size() == most) {
      compute_->synchronize();  // it may be running
      captured_.erase(captured_.begin());
    }
    auto capture = compute_->capture_work([this, x, y, steps] { steps(*this, x, y); });
    captured_.push_back({x, y, sums_.xy, sums_.yy, sums_.weight, parts_, std::move(capture)});
    found = captured_.end() - 1;
  }
  const Range range("replay");
  parts_ = found->parts;
  compute_->replay(*found->capture);
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
  compute_->fill(x + place(owned()), nan_byte, static_cast<std::size_t>(place(ghosts())) * sizeof(T));
  compute_->fill(y, nan_byte, static_cast<std::size_t>(place(rows())) * sizeof(T));
  for (Buffer<T>* buffer : {&send_buffer_, &column_x_, &column_y_})
    compute_->fill(buffer->data(), nan_byte, buffer->bytes());
  compute_->synchronize();
  exchange_->poison();
}

SPMV_INSTANTIATE_CLASS(DistMatrix);

}  // namespace spmv
