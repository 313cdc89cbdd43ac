#pragma once

#include <string>
#include <vector>

#include "app/options/option_groups.hpp"
#include "app/session.hpp"
#include "dist/machine/place.hpp"

namespace spmv {

/// What products are measured of, and how.
struct RunOptions : MatrixOptions, PartitionOptions, ChoiceOptions {
  std::string cache;   // folder of binary copies and partitions; empty: none
  std::string read_x;  // file of x; empty: a function of the column

  std::vector<std::string> modes = {"all"};
  bool all_modes = false;  // the user named none, or "all": one that cannot be is left out
  std::string format = "auto";
  std::string nonlocal_format;                     // empty: as format
  std::string tune_cache;                          // file of remembered choices; empty: none
  std::string order = "none";                      // of each rank's rows
  std::vector<std::string> transports = {"auto"};  // several: measured in turn
  std::string backend = "auto";
  std::string vectors = "device";
  std::string layout = "auto";  // of modes that have several; auto: measured in each
  int columns = 1;              // of the multivectors x and y

  int warmup = 5;
  int min_repetitions = 20;
  int max_repetitions = 1000;
  double max_seconds = 5;
  bool verify = true;
  double timeout = default_timeout;

  std::string write_y;  // file of y; empty: none

  /// Replaces "all" by what it stands for, and checks every name. Local; throws Error(usage).
  void check();
};

/// The format of the nonlocal part: as --format, unless it was named. Pure.
inline const std::string& nonlocal_format(const RunOptions& options) {
  return options.nonlocal_format.empty() ? options.format : options.nonlocal_format;
}

/// A session that measures products: where this rank computes, and what the user wants.
struct Run : Session {
  /// Transports are called by what their names mean here, see transport_on(); one with two names is there once. `place_`
  /// outlives this.
  Run(const Session& session, const Place& place_, const RunOptions& wanted);

  const Place& place;
  RunOptions options;

  bool automatic_format() const { return options.format == auto_format; }
  bool automatic_partition() const { return options.partition == "auto"; }
  bool vectors_on_host() const { return options.vectors == "host"; }
};

}  // namespace spmv
