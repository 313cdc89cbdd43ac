#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/dist_options.hpp"
#include "dist/product.hpp"

namespace spmv {

/// The matrix in one layout, with the vectors of its products. While a transport moves its halo, the watchdog
/// can say what a product that is stuck waits for.
template <class T>
class Prepared {
 public:
  /// Collective; throws AgreedError.
  Prepared(const Run& run, const Problem<T>& problem, const DistOptions& options)
      : run_(run),
        matrix_(run.communicator, problem.rows, options, run.place.backend),
        product_(run.communicator.together([&] {
          return Product<T>(
              matrix_, [&](unsigned number) { return problem.x_of(number); }, run.vectors_on_host());
        })) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  DistMatrix<T>& matrix() { return matrix_; }
  Product<T>& product() { return product_; }

  /// Collective; throws AgreedError, and then no transport moves the halo.
  void use_transport(const std::string& name, bool needs_queued_exchange, const TransportRequest& request) {
    waiting_.reset();  // it asks the exchange that goes
    matrix_.use_transport(run_.communicator, name, needs_queued_exchange, request);
    waiting_.emplace(run_.watchdog, [this] {
      const std::string halo = matrix_.waiting_for();
      return halo.empty() ? "with no halo under way: it waits for its own device or for other ranks" : halo;
    });
  }

 private:
  const Run& run_;
  DistMatrix<T> matrix_;
  Product<T> product_;
  std::optional<Watchdog::Detail> waiting_;  // last: never asks a matrix that is gone
};

}  // namespace spmv
