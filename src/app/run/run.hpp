#pragma once

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/results.hpp"
#include "comm/communicator.hpp"
#include "dist/machine/place.hpp"

namespace spmv {

/// What every part of a run needs, from the first to the last: all ranks, what the user wants, where this
/// rank computes, who notices that nothing moves any more, and what is kept for an early end. They outlive it.
struct Run {
  const Communicator& communicator;
  const Options& options;
  const Place& place;
  Watchdog& watchdog;
  Results& results;

  bool automatic_format() const { return options.format == auto_format; }
  bool automatic_partition() const { return options.partition == "auto"; }
  bool vectors_on_host() const { return options.vectors == "host"; }
};

}  // namespace spmv
