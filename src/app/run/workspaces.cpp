#include "app/run/workspaces.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/launch/end_signals.hpp"
#include "app/options/option_names.hpp"
#include "app/report/matrix_report.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "core/this_machine.hpp"
#include "core/value_types.hpp"
#include "dist/solve/inner.hpp"
#include "kernels/row_order.hpp"
#include "load/vectors.hpp"

namespace spmv {
namespace {

const std::vector<std::string> auto_mode = {"auto"};

/// The names of the modes that "auto" tries, the first one first.
std::vector<std::string> auto_modes() {
  std::vector<std::string> names;
  for (const auto* mode : modes_by_rank<double>()) names.emplace_back(mode->name);
  return names;
}

/// Throws AgreedError for a matrix that has no system to solve.
void require_system(const MatrixSource& source) {
  if (source.shape.rows == 0 && source.shape.cols == 0)
    throw AgreedError(ExitCode::input, fmt::format("{} has no rows: there is nothing to solve", source.name));
  if (source.shape.rows == source.shape.cols) return;
  throw AgreedError(ExitCode::usage,
                    fmt::format("{} has {} rows and {} columns, and solvers need a square matrix",
                                source.name, source.shape.rows, source.shape.cols));
}

/// The multivector whose columns are what change() makes of those of `all`, both by rows.
template <class T, class Change>
std::vector<T> each_column(const std::vector<T>& all, int columns, const Change& change) {
  if (columns == 1) return change(all);
  const auto width = static_cast<std::size_t>(columns);
  std::vector<T> changed;
  for (std::size_t j = 0; j < width; ++j) {
    std::vector<T> column;
    for (std::size_t i = j; i < all.size(); i += width) column.push_back(all[i]);
    column = change(column);
    changed.resize(column.size() * width);
    for (std::size_t row = 0; row < column.size(); ++row) changed[row * width + j] = column[row];
  }
  return changed;
}

template <class T>
PlacedMatrix<T> place_system(const Run& run, const MatrixSource& source, RunHead& head) {
  require_system(source);
  return place_matrix<T>(run, source, head);
}

}  // namespace

WorkspaceOptions::WorkspaceOptions() {
  modes = auto_mode;
  verify = false;
}

void WorkspaceOptions::check() {
  any_mode = modes == auto_mode;
  if (any_mode) modes = auto_modes();
  RunOptions::check();
}

void declare_workspace(CLI::App& app, WorkspaceOptions& o) {
  declare_cache(app, o.cache);
  app.add_option(
         "--mode", o.modes,
         "modes, comma-separated, or all; auto: that of device, task and vector with the fastest product")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Product");
  app.add_option("--transport", o.transports, "transports of halo and sums, comma-separated, or all")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Product");
  app.add_option("--layout", o.layout,
                 "layout of a rank's rows in modes with several: " + names(layout_names()))
      ->check(name_in(layout_names(), "layout"))
      ->capture_default_str()
      ->group("Product");
  declare_format(app, o.format);
  declare_partition(app, o);
  declare_order(app, o.order);
  declare_backend(app, o.backend);
  declare_choice(app, o);
  declare_tune_cache(app, o.tune_cache);
  declare_timeout(app, o.timeout);
}

void declare_tolerance(CLI::App& app, double& tolerance, const char* summary, const char* group) {
  declare_number(app, "--tolerance", tolerance, summary, 0, 1)
      ->default_str(fmt::format("{:g}, or {:g} in single precision", tolerance_for<double>(by_precision),
                                tolerance_for<float>(by_precision)))
      ->group(group);
}

void declare_start_seed(CLI::App& app, int& seed, const char* group) {
  constexpr int most = 65535;  // each has 2^16 numbers of vectors
  app.add_option("--start-seed", seed, "which random start vectors are taken; --seed has no part in it")
      ->check(CLI::Range(1, most))
      ->capture_default_str()
      ->group(group);
}

std::string ended_while(const Session& session, const std::string& what) {
  const int signal = session.ended_by();
  return signal == 0 ? "" : fmt::format("ended by {} while {}", end_signal_name(signal), what);
}

ExitCode verdict(const Session& session, const std::string& incomplete, bool solved) {
  const int signal = session.ended_by();
  if (signal == 0) return solved ? ExitCode::ok : ExitCode::unsolved;
  if (session.first_rank()) say(fmt::format("note: {}; what there is until then is written", incomplete));
  return static_cast<ExitCode>(end_signal_code(signal));
}

template <class T>
Workspaces<T>::Workspaces(const Run& run, const WorkspaceOptions& options, const MatrixSource& source,
                          RunHead& head)
    : run_(run),
      options_(options),
      head_(head),
      placed_(place_system<T>(run, source, head)),
      builder_(matrix_builder<T>(
          run, tuning_bandwidth(run.communicator, *run.place.backend, placed_.bandwidth), true)) {}

template <class T>
void Workspaces<T>::each(const Work& work, const Refused& refused) {
  bool any = false;
  std::exception_ptr last;
  for (const auto& [name, transport] : choices()) {
    const Mode<T>& mode = pick(modes<T>(), name, "mode");
    inner_on_ = nullptr;
    inner_.reset();
    std::optional<Ready> ready;
    WorkspaceFacts facts;
    facts.mode = name;
    facts.transport = transport;
    facts.transport_chosen = transport == auto_transport;
    try {
      facts = set_up_fastest(ready, mode, transport);
    } catch (const AgreedError& error) {
      if (error.code() != ExitCode::environment && error.code() != ExitCode::usage) throw;
      last = std::current_exception();
      facts.refused = error.what();
      if (!options_.any_mode) refused(facts);
      continue;
    }
    mode_ = name;
    transport_ = transport;
    const Watchdog::Detail detail(run_.watchdog, [this, &ready] {
      const auto* inner = inner_on_.load();
      const std::string waits = ready->on.waiting_for();
      return waits.empty() && inner != nullptr ? inner->waiting_for() : waits;
    });
    work(ready->on, ready->A, facts);
    head_.peak_host_bytes = run_.communicator.max(peak_resident_bytes());
    head_.stages = run_.watchdog.stages();
    if (options_.any_mode || run_.ended_by() != 0) return;
    any = true;
  }
  if (!any) std::rethrow_exception(last);
}

template <class T>
const InnerWorkspace<T>& Workspaces<T>::make_inner(const std::string& format) {
  using S = SingleOf<T>;
  run_.watchdog.stage("building the matrix in single precision");
  inner_ = run_.communicator.together([&] {
    return std::make_unique<InnerWorkspace<T>>(rows_in_single(problem().rows, matrix_->magnitudes()));
  });
  const double bandwidth = tuning_bandwidth(run_.communicator, *run_.place.backend, placed_.bandwidth);
  inner_->matrix = matrix_builder<S>(run_, bandwidth, true, format)
                       .build(inner_->rows, matrix_->layout(), {matrix_->shared_queue(), {}, {}});
  const Mode<S>& mode = pick(modes<S>(), mode_, "mode");
  inner_->matrix->use_transport(run_.communicator, transport_, mode.needs_queued_exchange,
                                transport_request(run_, halo_trials_));
  inner_->ready = std::make_unique<ReadyWorkspace<S>>(run_.communicator, *inner_->matrix, mode, transport_,
                                                      transport_request(run_, sums_trials_));
  inner_on_ = &inner_->ready->on;
  return *inner_;
}

template <class T>
Workspaces<T>::OneColumn::OneColumn(Workspaces& of, Workspace<T>& on) : matrix(*of.matrix_) {
  const Mode<T>& mode = pick(modes<T>(), of.mode_, "mode");
  const std::string chosen = matrix.transport_choice().name;
  const std::string& transport = chosen.empty() ? of.transport_ : chosen;
  on.forget_matrices();
  matrix.swap_columns(of_run);
  try {
    matrix.use_columns(of.run_.communicator, 1);
    matrix.use_transport(of.run_.communicator, transport, mode.needs_queued_exchange,
                         transport_request(of.run_, of.halo_trials_));
    ready.emplace(of.run_.communicator, matrix, mode, of.transport_,
                  transport_request(of.run_, of.sums_trials_));
  } catch (...) {
    put_back();
    throw;
  }
}

template <class T>
WorkspaceFacts Workspaces<T>::set_up_fastest(std::optional<Ready>& ready, const Mode<T>& mode,
                                             const std::string& transport) {
  const std::vector<std::string> layouts =
      layouts_to_measure(mode.layouts, options_.layout, run_.communicator.size() > 1);
  std::vector<ProductTrial>& trials = options_.any_mode ? mode_trials_ : layout_trials_[mode.name];
  if (!options_.any_mode && layouts.size() > 1 && trials.empty()) trials = try_products({&mode}, transport);
  set_up(ready, mode, transport, trials.empty() ? layouts.front() : fastest(trials)->layout);
  WorkspaceFacts facts;
  facts.mode = mode.name;
  facts.transport = matrix_->transport_choice().name;
  facts.transport_chosen = transport == auto_transport;
  facts.several_transports = run_.options.transports.size() > 1;
  facts.sums_transport = fmt::format("{}", fmt::join(ready->on.sums_transports(), ", then "));
  facts.layout = matrix_->layout();
  facts.layout_trials = trials;
  facts.format = over_ranks(run_.communicator, matrix_->operators().blocks().front()->decision.format);
  facts.normalised = ready->A.normalisation(run_.communicator);
  facts.shared_kernel = ready->on.why_no_own_kernels();
  return facts;
}

template <class T>
std::vector<std::pair<std::string, std::string>> Workspaces<T>::choices() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& mode : options_.modes)
    for (const std::string& transport : run_.options.transports) all.emplace_back(mode, transport);
  if (!options_.any_mode || run_.communicator.size() == 1) return all;
  std::vector<const Mode<T>*> tried;
  for (const std::string& mode : options_.modes) tried.push_back(&pick(modes<T>(), mode, "mode"));
  for (const std::string& transport : run_.options.transports) {
    try {
      mode_trials_ = try_products(tried, transport);
      return {{fastest(mode_trials_)->mode, transport}};
    } catch (const AgreedError& error) {
      const bool last = &transport == &run_.options.transports.back();
      if (last || (error.code() != ExitCode::environment && error.code() != ExitCode::usage)) throw;
    }
  }
  return all;
}

template <class T>
std::vector<ProductTrial> Workspaces<T>::try_products(const std::vector<const Mode<T>*>& modes,
                                                      const std::string& transport) {
  std::optional<Ready> ready;
  Vector<T> x, y;
  return time_products<T>(
      run_.communicator, modes, options_.layout, [&](const Mode<T>& mode, const std::string& layout) {
        ready.reset();
        x = {};
        y = {};
        set_up(ready, mode, transport, layout);
        run_.watchdog.stage(fmt::format("timing products in mode {}, layout {}", mode.name, layout),
                            {.quiet = true});
        run_.communicator.together([&] {
          x = ready->A.make_vector();
          y = ready->A.make_vector();
        });
        return TriedProduct{matrix_->compute_queue(), [&] { ready->on.multiply_and_change(ready->A, x, y); }};
      });
}

template <class T>
void Workspaces<T>::set_up(std::optional<Ready>& ready, const Mode<T>& mode, const std::string& transport,
                           const std::string& layout) {
  if (matrix_ == nullptr || matrix_->layout() != layout) {
    run_.watchdog.stage(fmt::format("building the matrix in layout {}", layout));
    matrix_.reset();
    matrix_ = builder_.build(placed_.problem.rows, layout);
    head_.partition = partition_stats(run_.communicator, placed_.problem.rows, matrix_->plan());
  }
  run_.watchdog.stage(fmt::format("setting up transport {}", transport), {.quiet = true});
  matrix_->use_transport(run_.communicator, transport, mode.needs_queued_exchange,
                         transport_request(run_, halo_trials_));
  ready.emplace(run_.communicator, *matrix_, mode, transport, transport_request(run_, sums_trials_));
}

template <class T>
std::vector<T> Workspaces<T>::to_owners(const std::vector<T>& as_read) const {
  const int columns = run_.options.columns;
  return reorder(
      each_column(as_read, columns, [&](auto column) { return problem().from_read.carry(column); }),
      problem().order.order, columns);
}

template <class T>
std::vector<T> Workspaces<T>::to_readers(const std::vector<T>& natural) const {
  const int columns = run_.options.columns;
  return each_column(reorder(natural, inverse(problem().order.order), columns), columns,
                     [&](auto column) { return problem().from_read.carry_back(column); });
}

template <class T>
void Workspaces<T>::write(const std::string& path, const std::vector<T>& natural) const {
  save_vector(run_.communicator, path, readers(), to_readers(natural), save_options(run_, path),
              run_.options.columns);
}

template <class T>
void Workspaces<T>::write_column(const std::string& path, const std::vector<T>& natural,
                                 std::size_t column) const {
  const std::vector<T> all = to_readers(natural);
  std::vector<T> one;
  for (std::size_t i = column; i < all.size(); i += static_cast<std::size_t>(run_.options.columns))
    one.push_back(all[i]);
  save_vector(run_.communicator, path, readers(), one, save_options(run_, path), 1);
}

SPMV_INSTANTIATE_CLASS(Workspaces);

}  // namespace spmv
