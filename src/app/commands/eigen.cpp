// spmv_dist eigen: a few eigenvalues at one end of the spectrum of a hermitian matrix.
#include "dist/spectrum/eigen.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/commands/preconditioner_options.hpp"
#include "app/launch/end_request.hpp"
#include "app/launch/machine.hpp"
#include "app/report/eigen_report.hpp"
#include "app/run/load.hpp"
#include "app/run/workspaces.hpp"
#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/spectrum/block_eigen.hpp"
#include "load/text_pieces.hpp"

namespace spmv {
namespace {

struct SpectrumEndOptions : WorkspaceOptions, PreconditionerOptions {
  int count = 4;
  std::string which = to_string(Which::lowest);
  double tolerance = by_precision;
  int subspace = 0;
  int max_restarts = 1000;
  bool copies = false;
  int start_seed = 1;
  int times = 1;
  std::string vectors_file;  // empty: none

  NamedFiles files() const;
  void declare(CLI::App& app);
  void check();
  EigenOptions search() const;
  bool in_blocks() const { return columns > 1 || preconditioner != no_preconditioner; }
};

constexpr int most_count = 10000;

/// "psi-3.mtx" for "psi.mtx" and "psi-3.mtx.gz" for "psi.mtx.gz": the file of eigenvector 3. Pure.
std::string file_of_vector(const std::string& name, int number) {
  const std::filesystem::path path(name), stem = path.stem();
  const std::string packed = is_packed_name(name) && stem.has_extension() ? path.extension().string() : "";
  const std::filesystem::path plain = packed.empty() ? path : path.parent_path() / stem;
  return (plain.parent_path() / plain.stem()).string() + fmt::format("-{}", number) +
         plain.extension().string() + packed;
}

NamedFiles SpectrumEndOptions::files() const {
  NamedFiles all = WorkspaceOptions::files();
  for (int i = 1; i <= count && !vectors_file.empty(); ++i)
    all.push_back({"--write-vectors", file_of_vector(vectors_file, i), FileUse::by_ranks});
  return all;
}

void declare_search(CLI::App& app, SpectrumEndOptions& o) {
  app.add_option("--count", o.count, "how many eigenvalues")
      ->check(CLI::Range(1, most_count))
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_option("--which", o.which,
                 "the end of the spectrum at which eigenvalues are wanted: lowest or highest")
      ->check(CLI::IsMember({to_string(Which::lowest), to_string(Which::highest)}))
      ->capture_default_str()
      ->group("Eigenvalues");
  declare_tolerance(app, o.tolerance,
                    "|A v - lambda v| / |A|, for |v| = 1, at which an eigenvalue is good enough",
                    "Eigenvalues");
  app.add_option(
         "--subspace", o.subspace,
         "vectors that the search works with, and keeps in memory; 0: 2 COUNT + 10, and at least 24; by blocks: "
         "six blocks, and more for a larger COUNT")
      ->check(whole_number_from(0))
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_option("--max-restarts", o.max_restarts,
                 "restarts after which the search stops, with what it has then")
      ->check(whole_number_from(0))
      ->capture_default_str()
      ->group("Eigenvalues");
  app.add_flag("--copies", o.copies,
               "degenerate eigenvalues, too: go on until searches from random vectors find no further one")
      ->group("Eigenvalues");
  app.add_option(
         "--block", o.columns,
         fmt::format("search by blocks of so many vectors, 1 to {}: finds degenerate eigenvalues with all "
                     "their copies; 1: by single vectors, unless there is a preconditioner",
                     most_columns))
      ->check(CLI::Range(1, most_columns))
      ->capture_default_str()
      ->excludes("--copies")
      ->group("Eigenvalues");
  declare_preconditioner(app, o, "what brings the lowest eigenvalues within fewer products, by blocks",
                         "Eigenvalues");
  declare_start_seed(app, o.start_seed, "Eigenvalues");
}

void SpectrumEndOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_search(app, *this);
  app.add_option("--times", times, "how often the search is run; the least time counts")
      ->check(whole_number_from(1))
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--write-vectors", vectors_file,
                 "write the eigenvectors of the first mode, in the rows' order as read; FILE.mtx becomes "
                 "FILE-1.mtx, FILE-2.mtx and so on: .spmv, or else Matrix Market arrays")
      ->group("Output");
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
  search.subspace = subspace;
  search.max_restarts = max_restarts;
  search.copies = copies;
  search.start_seed = static_cast<unsigned>(start_seed);
  return search;
}

template <class T>
void keep(EigenResult<T>&& result, double seconds, EigenOutlook& outlook) {
  outlook.seconds = outlook.products == 0 ? seconds : std::min(outlook.seconds, seconds);
  outlook.stop = result.stop;
  outlook.reason = std::move(result.reason);
  outlook.values = std::move(result.values);
  outlook.residuals = std::move(result.residuals);
  outlook.norm = result.norm;
  outlook.subspace = result.subspace;
  outlook.products = result.products;
  outlook.restarts = result.restarts;
  outlook.history = std::move(result.history);
}

/// The search in one mode over one transport, whose eigenvectors `vectors` becomes.
template <class T>
EigenOutlook search_on(const Run& run, const SpectrumEndOptions& options, Workspace<T>& on,
                       const Operator<T>& A, Preconditioner<T>* M, const WorkspaceFacts& facts,
                       std::vector<Vector<T>>& vectors) {
  const EndRequest::Heeded heeded(run.end_request);
  const std::string stage = fmt::format("searching eigenvalues in mode {}", facts.mode);
  EigenOptions wanted = options.search();
  wanted.watch = [&](int products, double residual) {
    run.watchdog.stage(stage, {.detail = fmt::format("product {}, residual {:.1e}", products, residual)});
    return run.end_request.signal() != 0;
  };
  auto outlook = outlook_of<EigenOutlook>(facts);
  int sums = 0;
  for (int time = 0; time < options.times && (time == 0 || run.ended_by() == 0); ++time) {
    run.watchdog.stage(stage);
    vectors.clear();
    EigenResult<T> result = options.in_blocks() ? block_eigen(on, A, M, wanted) : eigen(on, A, wanted);
    sums = result.sums;
    vectors = std::move(result.vectors);
    const double seconds = run.communicator.max(result.seconds);
    keep(std::move(result), seconds, outlook);
  }
  if (run.ended_by() != 0) return outlook;
  run.watchdog.stage("measuring the parts of a step", {.quiet = true});
  const Vector<T> x = A.make_vector(), y = A.make_vector();
  outlook.product_s = time_of<T>(on, [&] { on.multiply(A, x, y); });
  if (run.communicator.size() > 1)
    outlook.sums_s = time_of<T>(on, [&] { on.add_up(); }) * sums / outlook.products;
  return outlook;
}

/// Writes eigenvectors to the files that the user named, and returns their names.
template <class T>
std::vector<std::string> write_vectors(const Run& run, const SpectrumEndOptions& options,
                                       const Workspaces<T>& workspaces, Workspace<T>& on,
                                       const Operator<T>& A, const std::vector<Vector<T>>& vectors,
                                       int found) {
  std::vector<std::string> written;
  if (options.vectors_file.empty()) return written;
  std::vector<T> block;
  const std::size_t columns = static_cast<std::size_t>(options.columns);
  for (int pair = 0; pair < found; ++pair) {
    run.watchdog.stage("writing eigenvectors");
    const std::size_t column = static_cast<std::size_t>(pair) % columns;
    if (column == 0) block = natural_elements(on, A, vectors[static_cast<std::size_t>(pair) / columns]);
    const std::string path = file_of_vector(options.vectors_file, pair + 1);
    workspaces.write_column(path, block, column);
    written.push_back(path);
  }
  return written;
}

/// nullptr where the user wants none.
template <class T>
std::unique_ptr<Preconditioner<T>> preconditioner_of(const Run& run, const SpectrumEndOptions& options,
                                                     const Workspaces<T>& workspaces, Workspace<T>& on,
                                                     const Operator<T>& A, EigenReport& report) {
  report.preconditioner = options.preconditioner;
  if (options.preconditioner == no_preconditioner) return nullptr;
  run.watchdog.stage(fmt::format("making preconditioner {}", options.preconditioner));
  auto M = make_preconditioner<T>(options, {on, A, workspaces.problem().rows});
  if (const std::string choices = M->choices(); !choices.empty()) report.preconditioner += ", " + choices;
  return M;
}

template <class T>
EigenReport eigen_as(const Run& run, SpectrumEndOptions options, const MatrixSource& source) {
  options.tolerance = tolerance_for<T>(options.tolerance);
  EigenReport report;
  begin_head(run, report);
  Workspaces<T> workspaces(run, options, source, report);
  report.count = options.count;
  report.which = options.which;
  report.block = options.columns;
  report.tolerance = options.tolerance;
  report.start_seed = options.start_seed;
  report.times = options.times;
  workspaces.each(
      [&](Workspace<T>& on, const Operator<T>& A, const WorkspaceFacts& facts) {
        std::vector<Vector<T>> vectors;
        const auto M = preconditioner_of(run, options, workspaces, on, A, report);
        report.outlooks.push_back(search_on(run, options, on, A, M.get(), facts, vectors));
        if (report.vector_files.empty())
          report.vector_files = write_vectors(run, options, workspaces, on, A, vectors,
                                              static_cast<int>(report.outlooks.back().values.size()));
      },
      [&](const WorkspaceFacts& facts) { report.outlooks.push_back(outlook_of<EigenOutlook>(facts)); });
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
