#include "dist/dist_matrix.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "core/pick.hpp"
#include "dist/halo_plan_builder.hpp"
#include "dist/split.hpp"

namespace spmv {
namespace {

/// position[order[i]] = i; empty stays empty.
std::vector<lidx> inverse(const std::vector<lidx>& order) {
  std::vector<lidx> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    position[static_cast<std::size_t>(order[i])] = static_cast<lidx>(i);
  return position;
}

/// Element i of the result is element order[i] of `values`; an empty order changes nothing.
template <class V>
std::vector<V> reorder(std::vector<V> values, const std::vector<lidx>& order) {
  if (order.empty()) return values;
  std::vector<V> result;
  result.reserve(values.size());
  for (const lidx i : order) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}

/// The nonlocal operator in its own row order, adding to rows of y in the local block's order.
template <class T>
std::unique_ptr<LocalOperator<T>> make_nonlocal(Split<T>& parts, const std::vector<lidx>& row_position,
                                                const DistOptions& options,
                                                const std::shared_ptr<Backend>& backend) {
  const Format<T>& format = pick(formats<T>(), options.nonlocal_format, "format");
  for (lidx& row : parts.nonlocal_row)
    if (!row_position.empty()) row = row_position[static_cast<std::size_t>(row)];
  const std::vector<lidx> order = format.row_order(parts.nonlocal, options.format_options);
  const std::vector<lidx> row_list = reorder(parts.nonlocal_row, order);
  return format.make(permute_rows(std::move(parts.nonlocal), order), row_list, options.format_options,
                     backend);
}

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
    const Format<T>& format = pick(formats<T>(), options.format, "format");
    Split<T> parts;
    Csr<T> block;
    if (layout_ == Layout::split) {
      parts = split(rows.block, first_owned, owned, ghosts);
      block = std::move(parts.local);
    } else {
      block = merge(rows.block, first_owned, owned, ghosts);
    }
    rows_ = block.rows;
    row_order_ = format.row_order(block, options.format_options);
    const std::vector<lidx> position = inverse(row_order_);
    if (square) {
      x_order_ = row_order_;
      rename_columns(block, position);
    }
    main_ = format.make(permute_rows(std::move(block), row_order_), {}, options.format_options, backend_);
    if (layout_ == Layout::split) nonlocal_ = make_nonlocal(parts, position, options, backend_);
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
  exchange_ =
      pick(transports(), options.transport, "transport").make({communicator, plan_, backend_, sizeof(T)});
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
  exchange_->start(reinterpret_cast<const std::byte*>(packed_.data()), *packed_ready_, log);
}

template <class T>
void DistMatrix<T>::finish_exchange(T* x, PhaseLog* log) {
  exchange_->finish(reinterpret_cast<std::byte*>(x + owned()), *halo_arrived_, log);
}

template <class T>
void DistMatrix<T>::multiply_merged(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const DevicePhase phase(log, Phase::merged, *compute_);
  main_->apply(*compute_, x, y, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_local(const T* x, T* y, PhaseLog* log) {
  const DevicePhase phase(log, Phase::local, *compute_);
  main_->apply(*compute_, x, y, Update::assign);
}

template <class T>
void DistMatrix<T>::multiply_nonlocal(const T* x, T* y, PhaseLog* log) {
  wait_for_halo();
  const DevicePhase phase(log, Phase::nonlocal, *compute_);
  nonlocal_->apply(*compute_, x + owned(), y, Update::add);
}

template <class T>
CommThread& DistMatrix<T>::comm_thread() {
  if (!comm_thread_) comm_thread_ = std::make_unique<CommThread>(backend_, comm_core_);
  return *comm_thread_;
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
