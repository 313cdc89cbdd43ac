#include "dist/solve/workspace.hpp"

#include <chrono>
#include <cmath>

#include "comm/patience.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Of every rank the first rank of its node. Collective.
std::vector<int> nodes_of_ranks(const Communicator& communicator) {
  const gidx mine = communicator.rank();
  return communicator.all_gather(static_cast<int>(communicator.node().min(mine)));
}

/// What is queued on `next` after this call starts after what is queued on `first`.
void hand_over(Queue& first, Queue& next, Event& event) {
  if (&first == &next) return;
  first.record(event);
  next.wait(event);
}

template <class T>
T as_value(double number) {
  return T(static_cast<RealOf<T>>(number));
}

/// y = 2^-k y, of a product that could not do it.
template <class T>
void add_scaling(Combination<T>& c, const Operator<T>& A, const VectorRef<T>& y) {
  if (A.scales_apart()) c.set(y, A.factor() * y);
}

}  // namespace

template <class T>
Workspace<T>::Workspace(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                        Queue& queue, const std::string& sums_transport, const TransportRequest& request,
                        int columns)
    : communicator_(communicator),
      backend_(backend),
      queue_(queue),
      here_(backend->make_event()),
      there_(backend->make_event()),
      scalars_(backend, columns),
      sums_(communicator, backend, scalars_, {0, most_sums},
            sum_rounds(nodes_of_ranks(communicator), communicator.rank()), sums_transport, request),
      lines_ahead_(queue.works_at_once() ? 0 : 4) {}

template <class T>
Workspace<T>::~Workspace() {
  try {
    queue_.synchronize();
  } catch (const Error&) {
    // Whoever waits for the queue next is told.
  }
}

template <class T>
void Workspace<T>::wait_for(Queue& other) {
  hand_over(other, queue_, *there_);
}

template <class T>
void Workspace<T>::hold(Queue& other) {
  hand_over(queue_, other, *here_);
}

template <class T>
void Workspace<T>::queue_product(const Operator<T>& A, T* x, T* y, const RowWork<T>& request) {
  Queue& of_matrix = A.matrix().compute_queue();
  newest_ = &A.matrix();
  hold(of_matrix);
  A.queue_product(x, y, request);
  wait_for(of_matrix);
}

template <class T>
void Workspace<T>::queue_summed(const Operator<T>& A, T* x, T* y, const ProductSums<T>& sums,
                                const std::optional<RowFactors<T>>& factors) {
  RowWork<T> request{.xy = scalars_.partial(sums.xy),
                     .yy = scalars_.partial(sums.yy),
                     .weight = sums.weight,
                     .room = most_parts,
                     .apart = parts_apart};
  request.scales = factors.has_value();
  if (factors) request.factors = *factors;
  queue_product(A, x, y, request);
  scalars_.parts(sums.xy) = scalars_.parts(sums.yy) = A.matrix().parts_of_sums();
}

template <class T>
void Workspace<T>::multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y) {
  queue_product(A, x.at, y.at, {});
  if (!A.scales_apart()) return;
  Combination<T> c;
  add_scaling(c, A, y);
  queue(c, 0);
}

template <class T>
void Workspace<T>::multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y, double alpha,
                            double beta, const VectorRef<T>& w) {
  if (A.scales()) {
    RowWork<T> request;
    request.scales = true;
    request.factors = {.alpha = as_value<T>(alpha), .beta = as_value<T>(beta), .w = w.at};
    return queue_product(A, x.at, y.at, request);
  }
  queue_product(A, x.at, y.at, {});
  queue(Combination<T>().set(y, alpha * A.factor() * y + beta * w), 0);
}

template <class T>
void Workspace<T>::multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y,
                            const ProductSums<T>& sums) {
  if (A.sums()) return queue_summed(A, x.at, y.at, sums, {});
  queue_product(A, x.at, y.at, {});
  Combination<T> c;
  add_scaling(c, A, y);
  VectorRef<T> weighted = y;
  if (sums.weight != nullptr) {
    weighted = c.scratch();
    c.multiply(weighted, {sums.weight, y.count}, y);
  }
  c.sum(sums.xy, x, y).sum(sums.yy, y, weighted);
  queue(c, 0);
}

template <class T>
void Workspace<T>::multiply(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y,
                            const Recurrence& recurrence, const ProductSums<T>& sums) {
  queue_summed(A, x.at, y.at, sums,
               RowFactors<T>{.alpha = as_value<T>(recurrence.alpha),
                             .beta = as_value<T>(recurrence.beta),
                             .w = x.at,
                             .gamma = as_value<T>(recurrence.gamma)});
}

template <class T>
void Workspace<T>::multiply_and_change(const Operator<T>& A, const VectorRef<T>& x, const VectorRef<T>& y) {
  multiply(A, x, y, {0, 1});
  queue(Combination<T>().set(x, y - x), 0);
}

template <class T>
void Workspace<T>::queue(const Combination<T>& combination, std::uint64_t line) {
  queue_combination(queue_, combination, scalars_, line, in_loop_);
}

template <class T>
std::uint64_t Workspace<T>::run(const Combination<T>& combination) {
  if (combination.data().formula.records()) ++line_;
  queue(combination, line_);
  return line_;
}

template <class T>
void Workspace<T>::begin_loop() {
  scalars_.forget_stop(queue_);
  in_loop_ = true;
}

template <class T>
std::array<double, record_width> Workspace<T>::line(std::uint64_t number, int column) {
  // What failed on the device records nothing: then the queue says why.
  constexpr std::chrono::seconds suspicious{1};
  const auto start = std::chrono::steady_clock::now();
  Patience patience;
  while (!scalars_.has_line(number, column)) {
    patience.pause();
    if (std::chrono::steady_clock::now() - start > suspicious) queue_.synchronize();
  }
  return scalars_.line(number, column);
}

template <class T>
std::string Workspace<T>::waiting_for() const {
  const std::string sums = beside_ ? "" : sums_.waiting_for();
  if (!sums.empty()) return "adding up sums, which waits for " + sums;
  const std::lock_guard lock(looking_);
  const DistMatrix<T>* const newest = newest_;
  return newest == nullptr ? "" : newest->waiting_for();
}

template <class T>
void Workspace<T>::forget_matrices() {
  queue_.synchronize();
  const std::lock_guard lock(looking_);
  newest_ = nullptr;
}

template <class T>
ScalarOf<T> Workspace<T>::read(int slot, int column) {
  ScalarOf<T> number{};
  queue_.synchronize();
  download(*backend_, &number, scalars_.slot(slot, column), 1);
  return number;
}

template <class T>
void Workspace<T>::write(int slot, const std::vector<double>& of_columns) {
  queue_.synchronize();
  for (int column = 0; column < columns(); ++column) {
    const auto number = scalar_of<ScalarOf<T>>(of_columns[static_cast<std::size_t>(column)]);
    backend_->upload(scalars_.slot(slot, column), &number, sizeof number);
  }
}

template <class T>
std::vector<double> Workspace<T>::norms(const VectorRef<T>& v) {
  run(Combination<T>().sum(0, v, v));
  add_up();
  std::vector<double> all;
  for (int column = 0; column < columns(); ++column) all.push_back(std::sqrt(real_part(read(0, column))));
  return all;
}

SPMV_INSTANTIATE_CLASS(Workspace);

}  // namespace spmv
