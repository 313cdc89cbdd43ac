// spmv_dist eigen: a few eigenvalues at one end of the spectrum of a hermitian matrix.
#include "dist/spectrum/eigen.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/end_request.hpp"
#include "app/launch/machine.hpp"
#include "app/report/eigen_report.hpp"
#include "app/report/matrix_report.hpp"
#include "app/run/load.hpp"
#include "app/run/workspaces.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

struct SpectrumEndOptions : WorkspaceOptions {
  int count = 4;
  std::string which = to_string(Which::lowest);
  double tolerance = 1e-8;
  int basis = 0;
  int most_restarts = 1000;
  bool copies = false;
  int times = 1;

  void declare(CLI::App& app);
  void check();
  EigenOptions search() const;
};

void declare_search(CLI::App& app, SpectrumEndOptions& o) {
  app.add_option("--count", o.count, "how many eigenvalues")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_option("--which", o.which, "lowest or highest")
      ->check(CLI::IsMember({to_string(Which::lowest), to_string(Which::highest)}))
      ->capture_default_str()
      ->group("Eigenvalues");
  declare_number(app, "--tolerance", o.tolerance,
                 "|A v - lambda v| / |A| at which an eigenvalue is good enough", 0, 1)
      ->group("Eigenvalues");
  app.add_option("--basis", o.basis, "vectors that Lanczos works with; 0: 2 COUNT + 10, and at least 24")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_option("--max-restarts", o.most_restarts,
                 "restarts of the basis after which the search stops without all eigenvalues")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_flag(
         "--copies", o.copies,
         "look on for eigenvalues that are there several times, until a new random vector finds no more")
      ->group("Eigenvalues");
}

void SpectrumEndOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_search(app, *this);
  app.add_option("--times", times, "how often the search is run; the least time counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  declare_workspace(app, *this);
  declare_json(app, json_file, "write everything, with the residual at every restart");
}

void SpectrumEndOptions::check() {
  verify = false;  // residuals are
  WorkspaceOptions::check();
}

EigenOptions SpectrumEndOptions::search() const {
  EigenOptions search;
  search.count = count;
  search.which = which == to_string(Which::lowest) ? Which::lowest : Which::highest;
  search.tolerance = tolerance;
  search.basis = basis;
  search.most_restarts = most_restarts;
  search.copies = copies;
  return search;
}

/// Where and how the search ran.
template <class T>
EigenOutlook outlook_of(Workspace<T>& on, const Mode<T>& mode) {
  DistMatrix<T>& matrix = on.matrix();
  EigenOutlook outlook;
  outlook.mode = mode.name;
  outlook.layout = matrix.layout();
  outlook.format = over_ranks(on.communicator(), matrix.operators().blocks().front()->decision.format);
  outlook.transport = matrix.transport_choice().name;
  outlook.sums_transport = on.sums_choice().name;
  return outlook;
}

template <class T>
void keep(EigenResult<T>&& result, double seconds, EigenOutlook& outlook) {
  outlook.seconds = outlook.products == 0 ? seconds : std::min(outlook.seconds, seconds);
  outlook.stop = result.stop;
  outlook.reason = std::move(result.reason);
  outlook.values = std::move(result.values);
  outlook.residuals = std::move(result.residuals);
  outlook.norm = result.norm;
  outlook.basis = result.basis;
  outlook.products = result.products;
  outlook.restarts = result.restarts;
  outlook.history = std::move(result.history);
}

template <class T>
EigenOutlook search_on(const Run& run, const SpectrumEndOptions& options, Workspace<T>& on,
                       const Mode<T>& mode) {
  const EndRequest::Heeded heeded(run.end_request);
  EigenOptions wanted = options.search();
  wanted.watch = [&](int products, double residual) {
    run.watchdog.stage(fmt::format("product {}, residual {:.1e}", products, residual), {.quiet = true});
    return run.end_request.signal() != 0;
  };
  EigenOutlook outlook = outlook_of(on, mode);
  int sums = 0;
  for (int time = 0; time < options.times && (time == 0 || run.ended_by() == 0); ++time) {
    run.watchdog.stage(fmt::format("searching eigenvalues in mode {}", mode.name));
    EigenResult<T> result = eigen(on, wanted);
    sums = result.sums;
    const double seconds = run.communicator.max(result.seconds);
    keep(std::move(result), seconds, outlook);
  }
  if (run.ended_by() != 0) return outlook;
  Buffer<T> x = on.make_vector(), y = on.make_vector();
  outlook.product_s = time_of<T>(on, [&] { on.multiply(x.data(), y.data()); });
  if (run.communicator.size() > 1)
    outlook.sums_s = time_of<T>(on, [&] { on.add_up(); }) * sums / outlook.products;
  return outlook;
}

template <class T>
EigenReport eigen_as(const Run& run, const SpectrumEndOptions& options, const MatrixSource& source) {
  Workspaces<T> workspaces(run, options, source);
  EigenReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.nonzeros = workspaces.problem().nonzeros;
  report.ranks = run.communicator.size();
  report.backend = run.place.backend->name();
  report.count = options.count;
  report.which = options.which;
  report.tolerance = options.tolerance;
  report.times = options.times;
  report.load_s = workspaces.load_s();
  report.setup_s = workspaces.setup_s();
  workspaces.each([&](Workspace<T>& on,
                      const Mode<T>& mode) { report.outlooks.push_back(search_on(run, options, on, mode)); },
                  [&](const Mode<T>& mode, const std::string& transport, const std::string& why) {
                    EigenOutlook outlook;
                    outlook.mode = mode.name;
                    outlook.transport = transport;
                    outlook.refused = why;
                    report.outlooks.push_back(outlook);
                  });
  report.incomplete = ended_while(run, "searching eigenvalues");
  return report;
}

ExitCode run_eigen(const Session& session, const SpectrumEndOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  const Run run{session, place, options};
  const EigenReport report = with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return eigen_as<typename decltype(tag)::Type>(run, options, source);
  });
  return conclude(session, report, verdict(session, report.incomplete, report.converged()));
}

}  // namespace

std::unique_ptr<Command> declare_eigen(CLI::App& app) {
  return command<SpectrumEndOptions, run_eigen>(app);
}

}  // namespace spmv
