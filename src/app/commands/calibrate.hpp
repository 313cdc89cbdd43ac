// spmv_dist calibrate: how fast formats are on this machine.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct CalibrateOptions {
  std::string backend = "auto";
  std::string tune_cache;  // the file to write; empty: none
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const { check_backend(backend); }
  NamedFiles files() const { return {{"--tune-cache", tune_cache, FileUse::cache}}; }
};

/// Measures how fast every format is on the device of every rank, all ranks at once, and keeps it in the tuning
/// cache. Collective; throws AgreedError where there is no such file, or it cannot be written.
ExitCode run_calibrate(const Session& session, const CalibrateOptions& options);

}  // namespace spmv
