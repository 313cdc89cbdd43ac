// spmv_dist dos: the density of states of a hermitian matrix, by the kernel polynomial method.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/end_request.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/report/dos_report.hpp"
#include "app/run/load.hpp"
#include "app/run/workspaces.hpp"
#include "core/value_types.hpp"
#include "dist/spectrum/kpm_density.hpp"

namespace spmv {
namespace {

/// A number of products that the user has not named.
constexpr double by_moments = -1;

struct DosOptions : WorkspaceOptions {
  int moments = 512;
  int vectors = 10;
  int start_seed = 1;
  int energies = 0;            // 0: by the moments
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
  app.add_option(
         "--moments", moments,
         "Chebyshev moments of every start vector: twice as many resolve half the distance in energy and take "
         "twice as many products; a product gives two")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str()
      ->group("Density");
  app.add_option("--vectors", vectors, "random start vectors, over which moments are averaged")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->group("Density");
  declare_start_seed(app, start_seed, "Density");
  app.add_option(
         "--bounds", bounds,
         "LOW,HIGH: an interval that contains all eigenvalues (default: an estimate, which takes some products)")
      ->delimiter(',')
      ->expected(2)
      ->group("Density");
  app.add_option(
         "--energies", energies,
         "number of energies at which the density is computed, over all of the bounds (default: twice "
         "the moments, at least 1000)")
      ->check(CLI::Range(2, 10000000))
      ->group("Density");
  app.add_option("--write-dos", dos_file,
                 "write the density as CSV: energy, density (its integral over energy is 1), standard error")
      ->group("Output");
  products = by_moments;
  declare_workspace(app, *this);
  app.get_option("--products")->default_str("those of all moments");
  declare_json(app, json_file, "write everything, with moments and density");
}

/// The most start vectors that go side by side: fewer if so they take as few turns.
constexpr int most_together = 16;
int together(int vectors) {
  const int turns = (vectors + most_together - 1) / most_together;
  return (vectors + turns - 1) / turns;
}

void DosOptions::check() {
  // A product gives two moments.
  columns = together(vectors);
  if (products == by_moments) products = std::max(1.0, 0.5 * moments * vectors / columns);
  WorkspaceOptions::check();
  constexpr int usual_energies = 1000;
  if (energies == 0) energies = std::max(usual_energies, 2 * moments);
  if (!bounds.empty() && !(bounds[0] < bounds[1]))
    throw Error(ExitCode::usage,
                fmt::format("--bounds {},{}: the first must be below the second", bounds[0], bounds[1]));
}

MomentsOptions wanted_of(const DosOptions& options) {
  MomentsOptions wanted;
  wanted.moments = options.moments;
  wanted.vectors = options.vectors;
  wanted.seed = static_cast<unsigned>(options.start_seed);
  if (!options.bounds.empty()) wanted.bounds = {options.bounds[0], options.bounds[1]};
  return wanted;
}

/// The moments in one mode over one transport.
template <class T>
DosOutlook measure(const Run& run, const DosOptions& options, Workspaces<T>& workspaces, Workspace<T>& on,
                   const Operator<T>& A, const WorkspaceFacts& facts) {
  const EndRequest::Heeded heeded(run.end_request);
  const std::string stage = fmt::format("computing moments in mode {}", facts.mode);
  MomentsOptions wanted = wanted_of(options);
  wanted.watch = [&](std::int64_t moments) {
    const double all = 1.0 * options.moments * options.vectors;
    const auto of_turn = std::int64_t{options.moments} * options.columns;
    const auto first = (moments - 1) / of_turn * options.columns + 1;
    const auto last = std::min<std::int64_t>(first + options.columns - 1, options.vectors);
    run.watchdog.stage(stage,
                       {.share = std::min(1.0, static_cast<double>(moments) / all),
                        .detail = fmt::format("start vectors {} to {} of {}", first, last, options.vectors)});
    return run.end_request.signal() != 0;
  };
  auto outlook = outlook_of<DosOutlook>(facts);
  run.watchdog.stage(stage);
  if (options.columns > 1 && !wanted.bounds)
    wanted.range = workspaces.in_one_column(
        on, [&](auto& one, const auto& of_one) { return find_range(one, of_one, wanted.bounds); });
  outlook.moments = moments_of_random(on, A, workspaces.problem().rows.original_row, wanted);
  outlook.seconds = run.communicator.max(outlook.moments.seconds);
  if (run.ended_by() != 0) return outlook;
  run.watchdog.stage("measuring the parts of a step", {.quiet = true});
  const Vector<T> x = A.make_vector(), y = A.make_vector();
  outlook.product_s = time_of<T>(on, [&] { on.multiply(A, x, y); });
  if (run.communicator.size() > 1) outlook.sums_s = time_of<T>(on, [&] { on.add_up(); }) / steps_of_reduction;
  return outlook;
}

template <class T>
DosReport dos_as(const Run& run, const DosOptions& options, const MatrixSource& source) {
  DosReport report;
  begin_head(run, report);
  Workspaces<T> workspaces(run, options, source, report);
  report.moments = options.moments;
  report.vectors = options.vectors;
  report.start_seed = options.start_seed;
  workspaces.each(
      [&](Workspace<T>& on, const Operator<T>& A, const WorkspaceFacts& facts) {
        report.outlooks.push_back(measure(run, options, workspaces, on, A, facts));
        report.keep_first_density(options.energies);
      },
      [&](const WorkspaceFacts& facts) { report.outlooks.push_back(outlook_of<DosOutlook>(facts)); });
  report.incomplete = ended_while(run, "computing moments");
  if (!report.incomplete.empty()) report.incomplete += ": " + report.basis_of_density();
  return report;
}

ExitCode run_dos(const Session& session, const DosOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  const Run run{session, place, options};
  const DosReport report = with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return dos_as<typename decltype(tag)::Type>(run, options, source);
  });
  return conclude(session, report, verdict(session, report.incomplete, true));
}

}  // namespace

std::unique_ptr<Command> declare_dos(CLI::App& app) {
  return command<DosOptions, run_dos>(app);
}

}  // namespace spmv
