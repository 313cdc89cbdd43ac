#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/choose/choose_transport.hpp"
#include "dist/layouts.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

struct DistOptions {
  Layout layout = Layout::split;
  std::string format = "pjds";           // or "auto": what suits this rank's block, found by trials
  std::string nonlocal_format = "pjds";  // split only; or "auto": by prediction
  std::string transport = "staged";      // or "auto": the fastest, found by trials; empty: none yet
  bool needs_queued_exchange =
      false;           // the transport must only queue its work, see HaloExchange::is_queued()
  ProbeRequest probe;  // how transports are tried; needs_queued_exchange comes from the line above
  /// Split: of the nonlocal part; parted: threads_per_row of the smaller part. Empty: as `tune` has them.
  std::optional<FormatOptions> nonlocal_options;
  TuneRequest tune;          // its options are those of formats that are named, too
  int comm_core = -1;        // core for the communication thread, see find_cores
  std::vector<Known> known;  // choices made before, for the main operator
};

}  // namespace spmv
