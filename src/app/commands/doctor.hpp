// spmv_dist doctor: what is wrong with a launch.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct DoctorOptions {
  std::string backend = "auto";
  double timeout = default_timeout;

  void declare(CLI::App& app) { declare_backend(app, backend); }
  void check() const { check_backend(backend); }
  NamedFiles files() const { return {}; }
};

/// Examines the launch that it is part of: launcher, MPI, cores, GPUs, and every transport by a real exchange
/// around a ring of all ranks. Prints a verdict for each on rank 0, with the fix. Returns ok where nothing
/// is a problem, else environment; the same on every rank. Collective; throws AgreedError.
ExitCode run_doctor(const Session& session, const DoctorOptions& options);

}  // namespace spmv
