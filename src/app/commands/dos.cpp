// spmv_dist dos: the density of states of a hermitian matrix, by the kernel polynomial method.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/report/dos_report.hpp"
#include "app/report/matrix_report.hpp"
#include "app/run/load.hpp"
#include "app/run/workspaces.hpp"
#include "core/value_types.hpp"
#include "dist/spectrum/kpm_density.hpp"

namespace spmv {
namespace {

struct DosOptions : WorkspaceOptions {
  int moments = 512;
  int vectors = 10;
  int energies = 1000;
  std::vector<double> bounds;  // none: estimated
  std::string dos_file;

  void declare(CLI::App& app);
  void check();
  NamedFiles files() const {
    NamedFiles all = WorkspaceOptions::files();
    all.push_back({"--write-dos", dos_file});
    return all;
  }
};

void DosOptions::declare(CLI::App& app) {
  verify = false;
  declare_matrix(app, *this);
  app.add_option("--moments", moments,
                 "Chebyshev moments: the more, the finer the density; a product gives two")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str()
      ->group("Density");
  app.add_option("--vectors", vectors,
                 "random start vectors, over which moments are averaged; --seed chooses them")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->group("Density");
  app.add_option("--bounds", bounds,
                 "LOW,HIGH: an interval that contains all eigenvalues; estimated by default")
      ->delimiter(',')
      ->expected(2)
      ->group("Density");
  app.add_option("--energies", energies, "energies at which the density is computed")
      ->check(CLI::Range(2, 10000000))
      ->capture_default_str()
      ->group("Density");
  app.add_option("--write-dos", dos_file, "write the density as CSV: energy, density, error")
      ->group("Output");
  declare_workspace(app, *this);
  declare_json(app, json_file, "write everything, with moments and density");
}

void DosOptions::check() {
  WorkspaceOptions::check();
  if (!bounds.empty() && !(bounds[0] < bounds[1]))
    throw Error(ExitCode::usage,
                fmt::format("--bounds {},{}: the first must be below the second", bounds[0], bounds[1]));
}

/// The density in one mode over one transport.
template <class T>
DosOutlook measure(const Run& run, const DosOptions& options, const DistributedRows<T>& rows,
                   Workspace<T>& on, const Mode<T>& mode) {
  DosOutlook outlook;
  outlook.mode = mode.name;
  outlook.format = over_ranks(run.communicator, on.matrix().operators().blocks().front()->decision.format);
  outlook.transport = on.matrix().transport_choice().name;
  outlook.sums_transport = on.sums_choice().name;
  MomentsOptions wanted;
  wanted.moments = options.moments;
  wanted.vectors = options.vectors;
  wanted.seed = static_cast<unsigned>(options.seed);
  if (!options.bounds.empty()) wanted.bounds = {options.bounds[0], options.bounds[1]};
  auto next_word = std::chrono::steady_clock::now();
  wanted.progress = [&](int moments) {
    if (std::chrono::steady_clock::now() < next_word) return;
    next_word = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    run.watchdog.stage(fmt::format("moment {} of {}", moments, options.moments * options.vectors),
                       {.quiet = true});
  };
  run.watchdog.stage(fmt::format("computing moments in mode {}", mode.name));
  outlook.moments = moments_of_random(on, rows.original_row, wanted);
  outlook.seconds = run.communicator.max(outlook.moments.seconds);
  Buffer<T> x = on.make_vector(), y = on.make_vector();
  outlook.product_s = time_of<T>(on, [&] { on.multiply(x.data(), y.data()); });
  outlook.sums_s =
      run.communicator.size() == 1 ? 0 : time_of<T>(on, [&] { on.add_up(); }) / steps_of_reduction;
  return outlook;
}

template <class T>
DosReport dos_as(const Run& run, const DosOptions& options, const MatrixSource& source) {
  Workspaces<T> workspaces(run, options, source);
  DosReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.nonzeros = workspaces.problem().nonzeros;
  report.ranks = run.communicator.size();
  report.backend = run.place.backend->name();
  report.seed = options.seed;
  report.load_s = workspaces.load_s();
  report.setup_s = workspaces.setup_s();
  workspaces.each(
      [&](Workspace<T>& on, const Mode<T>& mode) {
        report.outlooks.push_back(measure(run, options, workspaces.problem().rows, on, mode));
        if (report.density.energy.empty())
          report.density = density_of_states(report.outlooks.back().moments, options.energies);
      },
      [&](const Mode<T>& mode, const std::string& transport, const std::string& why) {
        DosOutlook outlook;
        outlook.mode = mode.name;
        outlook.transport = transport;
        outlook.refused = why;
        report.outlooks.push_back(outlook);
      });
  return report;
}

ExitCode run_dos(const Session& session, const DosOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  const Run run{session, place, options};
  return conclude(session, with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
                    return dos_as<typename decltype(tag)::Type>(run, options, source);
                  }));
}

}  // namespace

std::unique_ptr<Command> declare_dos(CLI::App& app) {
  return command<DosOptions, run_dos>(app);
}

}  // namespace spmv
