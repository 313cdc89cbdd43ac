#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/choose/choose_transport.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// What a distributed matrix is built with. The same on every rank, but for comm_core.
struct DistOptions {
  std::string layout = "split";
  /// A name of formats(), or auto_format: what suits this rank's block, found by trials.
  std::string format = "pjds";
  /// Of the nonlocal block of layout split; auto_format: by prediction.
  std::string nonlocal_format = "pjds";
  /// A name of transports(), or auto_transport: the fastest, found by trials. Empty: none yet, see
  /// DistMatrix::use_transport().
  std::string transport = "staged";
  /// The transport must only queue its work, see HaloExchange::is_queued().
  bool needs_queued_exchange = false;
  /// How transports are tried.
  TransportRequest transport_request;
  /// How formats are chosen. Also for a format that is named: tune.options, and tune.columns of the multivectors x and y, which
  /// are stored by rows and multiplied together.
  TuneRequest tune;
  /// Layout split: options of the nonlocal block's format. Layout parted: only threads_per_row is used, for
  /// the part with fewer nonzeros. Empty: those of `tune`.
  std::optional<FormatOptions> nonlocal_options;
  /// Core for the communication thread, see find_cores(); -1: any.
  int comm_core = -1;
  /// Choices made before (machine/tuning_cache.hpp), which auto_format takes without trials; not for the nonlocal
  /// block.
  std::vector<RememberedChoice> remembered;
};

}  // namespace spmv
