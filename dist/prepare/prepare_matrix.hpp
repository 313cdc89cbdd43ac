// From rows as they were read, or as a caller gave them, to a matrix that multiplies. The program and the library
// both go this way:
//
//   RowBlock                  rows as read, with global columns
//      │ prepare_rows         moves rows to their owners, numbers their columns, orders them
//      ▼
//   PreparedRows
//      │ MatrixBuilder::build cuts them into the blocks of a layout and puts each block into its format
//      ▼
//   DistMatrix
//      │ use_transport        chooses what moves the halo
//      ▼
//   a product: dist/modes
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/dist_matrix.hpp"
#include "dist/machine/place.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "dist/order/choose_order.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// Where rows go and in which order they stay there.
struct RowsRequest {
  std::optional<Assignment> assignment = {};  // of assign_rows(); nullopt: every row stays where it is
  OrderRequest order = {};
  /// Told before each step, on every rank. May be empty.
  std::function<void(const std::string& step)> announce = {};
};

/// A rank's rows, ready to be put into formats, and how they got there.
template <class T>
struct PreparedRows {
  DistributedRows<T> rows;
  std::optional<Moves> moves;  // nullopt: every row stayed where it was
  ChosenOrder order;           // of this rank's rows, after the move
};

/// `read`: who owns the rows of `block` now. `block` is consumed. Collective; throws AgreedError as redistribute()
/// and choose_order().
template <class T>
PreparedRows<T> prepare_rows(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                             RowsRequest request);

/// Where choices of format auto are remembered for later runs.
struct TuningFile {
  std::string path;  // empty: nowhere
  std::string program_version;
  TuningCache::Warn warn;  // told on rank 0 why the file is ignored
};

/// Builds a matrix from prepared rows, in one layout after another. What format auto chose for one layout is taken for
/// the next one without trials, because their blocks are nearly the same.
template <class T>
class MatrixBuilder {
 public:
  /// `options`: all but layout, transport, comm_core and remembered. With format auto it reads the tuning file.
  /// `communicator` must outlive this. Collective.
  MatrixBuilder(const Communicator& communicator, const Place& place, DistOptions options,
                const TuningFile& file);

  /// The matrix without a transport: DistMatrix::use_transport() takes one. With format auto, the choice is written to
  /// the tuning file. Collective; throws AgreedError.
  std::unique_ptr<DistMatrix<T>> build(const DistributedRows<T>& rows, const std::string& layout,
                                       const SharedWith& shared = {});

 private:
  void remember(const Decision& decision);

  const Communicator& communicator_;
  std::shared_ptr<Backend> backend_;
  DistOptions options_;
  std::optional<TuningCache> cache_;  // nullopt: the user named the format
};

}  // namespace spmv
