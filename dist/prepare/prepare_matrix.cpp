#include "dist/prepare/prepare_matrix.hpp"

#include <chrono>
#include <utility>

#include "core/value_types.hpp"
#include "dist/prepare/reorder.hpp"

namespace spmv {
namespace {

/// The rows at their owners, with the columns in local numbers. `assignment` is freed before rows move. Collective.
template <class T>
PreparedRows<T> place_rows(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                           std::optional<Assignment>& assignment) {
  if (!assignment) return {keep_rows(communicator, read, std::move(block)), std::nullopt, {}};
  Moves moves = moves_to(communicator, read, *assignment);
  assignment.reset();
  DistributedRows<T> rows = redistribute(communicator, read, std::move(block), moves);
  return {std::move(rows), std::move(moves), {}};
}

/// Chooses an order of every rank's rows and puts them into it. Collective.
template <class T>
ChosenOrder order_rows(const Communicator& communicator, DistributedRows<T>& rows,
                       const OrderRequest& request) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ChosenOrder chosen = choose_order(communicator, rows, request);
  if (chosen.decision.ordered) reorder_rows(communicator, rows, chosen.order);
  const std::chrono::duration<double> mine = Clock::now() - begin;
  chosen.decision.seconds = communicator.max(mine.count());
  return chosen;
}

}  // namespace

template <class T>
PreparedRows<T> prepare_rows(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                             RowsRequest request) {
  if (request.announce) request.announce("moving rows to their owners");
  PreparedRows<T> prepared = place_rows(communicator, read, std::move(block), request.assignment);
  if (request.announce) request.announce("ordering rows");
  prepared.order = order_rows(communicator, prepared.rows, request.order);
  return prepared;
}

template <class T>
MatrixBuilder<T>::MatrixBuilder(const Communicator& communicator, const Place& place, DistOptions options,
                                const TuningFile& file)
    : communicator_(communicator), backend_(place.backend), options_(std::move(options)) {
  options_.transport.clear();
  options_.comm_core = place.cores.comm_core;
  if (options_.format != auto_format) return;
  cache_.emplace(file.path, cache_device(*backend_, place.threads, file.program_version), file.warn);
  RememberedTuning tuning = cache_->remembered(communicator);
  options_.remembered = std::move(tuning.choices);
  options_.tune.calibration = std::move(tuning.calibration);
}

template <class T>
std::unique_ptr<DistMatrix<T>> MatrixBuilder<T>::build(const DistributedRows<T>& rows,
                                                       const std::string& layout, const SharedWith& shared) {
  options_.layout = layout;
  auto matrix = std::make_unique<DistMatrix<T>>(communicator_, rows, options_, backend_, shared);
  if (cache_) remember(matrix->operators().blocks().front()->decision);
  return matrix;
}

template <class T>
void MatrixBuilder<T>::remember(const Decision& decision) {
  const double products = options_.tune.products;
  cache_->remember(communicator_, decision, products);
  constexpr const char* any_block = "";
  options_.remembered.insert(  // the latest first
      options_.remembered.begin(), {any_block, decision.format, decision.options, decision.measured_s,
                                    products, decision.sums, options_.tune.columns, decision.columns_apart});
}

SPMV_INSTANTIATE(prepare_rows);
SPMV_INSTANTIATE_CLASS(MatrixBuilder);

}  // namespace spmv
