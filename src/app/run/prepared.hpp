#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/product.hpp"

namespace spmv {

/// The matrix in one layout, with the vectors of its products and two transports, of which one at a time moves the halo:
/// one for modes that need a queued exchange, one for the others.
template <class T>
class Prepared {
 public:
  /// Collective; throws AgreedError.
  Prepared(const Run& run, const Problem<T>& problem, std::unique_ptr<DistMatrix<T>> matrix)
      : run_(run), matrix_(std::move(matrix)), product_(run.communicator.together([&] {
          return Product<T>(
              *matrix_, [&](unsigned number) { return problem.x_of(number); }, run.vectors_on_host());
        })) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  DistMatrix<T>& matrix() { return *matrix_; }
  Product<T>& product() { return product_; }

  /// Replaces the transport for these modes, and lets the new one move the halo. Collective; throws AgreedError, and then
  /// no transport moves the halo.
  void use_transport(const std::string& name, bool needs_queued_exchange, const TransportRequest& request) {
    take_mover(needs_queued_exchange);
    matrix_->use_transport(run_.communicator, name, needs_queued_exchange, request);
  }

  /// Lets the transport that was set up for these modes move the halo. While the result lives, the watchdog can say what
  /// a stuck product waits for; only one result may live at a time. Collective.
  Watchdog::Detail use(bool needs_queued_exchange) {
    take_mover(needs_queued_exchange);
    return {run_.watchdog, [this] {
              const std::string halo = matrix_->waiting_for();
              return halo.empty() ? "with no halo under way: it waits for its own device or for other ranks"
                                  : halo;
            }};
  }

  /// Destroys both transports. Collective.
  void drop_transports() {
    typename DistMatrix<T>::HaloMover in_use;
    matrix_->swap_mover(in_use);
    movers_ = {};
  }

  /// Bytes of device memory that the matrix and its vectors take. Local.
  double bytes() const {
    double sum = 0;
    for (const FormattedBlock<T>* block : matrix_->operators().blocks())
      sum += static_cast<double>(block->op->footprint().bytes);
    const double x = static_cast<double>(matrix_->owned()) + static_cast<double>(matrix_->ghosts());
    return sum + sizeof(T) * matrix_->columns() * (distinct_x * x + static_cast<double>(matrix_->rows()));
  }

 private:
  void take_mover(bool needs_queued_exchange) {
    if (in_use_ == needs_queued_exchange) return;
    matrix_->swap_mover(movers_[in_use_ ? 1 : 0]);  // put away
    in_use_ = needs_queued_exchange;
    matrix_->swap_mover(movers_[in_use_ ? 1 : 0]);
  }

  const Run& run_;
  std::unique_ptr<DistMatrix<T>> matrix_;
  std::array<typename DistMatrix<T>::HaloMover, 2>
      movers_;  // by whether a queued exchange is needed; the one in use is empty
  bool in_use_ = false;
  Product<T> product_;
};

}  // namespace spmv
