#include "app/commands/solver_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/option_names.hpp"
#include "core/pick.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {
namespace {

constexpr const char* all_names = "all";
constexpr const char* float_inner = "float";

void declare_solver(CLI::App& app, SolverOptions& o) {
  app.add_option(
         "--solver", o.solvers,
         "solvers, comma-separated, or all: " + names(solvers()) + "; spmv_dist --list says what each needs")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Solver");
  declare_preconditioner(app, o, "what makes the solver need fewer iterations", "Solver");
  o.columns = by_right_hand_sides;
  app.add_option("--columns", o.columns,
                 fmt::format("columns of b, which are solved side by side; 1 to {}", most_columns))
      ->check(CLI::Range(1, most_columns))
      ->default_str("those of --read-b, or 1")
      ->group("Solver");
  declare_tolerance(app, o.tolerance, "|b - A x| / |b| at which x is good enough", "Solver");
  app.add_option("--max-iterations", o.max_iterations,
                 "iterations after which a solver stops without a solution")
      ->check(whole_number_from(1))
      ->capture_default_str()
      ->group("Solver");
  app.add_option(
         "--nullspace", o.nullspace,
         "none; constant: A maps constant vectors to 0, as for pure Neumann problems, so they are left out of b and x")
      ->check(CLI::IsMember({no_nullspace, constant_nullspace}))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--inner", o.inner,
                 "none; float: iterations and preconditioner in single precision, x and residuals in double")
      ->check(CLI::IsMember({no_inner, float_inner}))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--inner-format", o.inner_format,
                 "storage format of the matrix in single precision (default: as --format)")
      ->check(name_in(format_names(), "format"))
      ->needs("--inner")
      ->group("Solver");
}

}  // namespace

void SolverOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_solver(app, *this);
  app.add_option(
         "--times", times,
         "how often each solver is run; the median time counts (default: 3, and 1 with --read-b or --checkpoint)")
      ->check(whole_number_from(1))
      ->group("Measurement");
  declare_system_files(app, *this);
  declare_workspace(app, *this);
  declare_json(app, json_file, "write everything, with the history of every solver");
}

NamedFiles SolverOptions::files() const {
  NamedFiles all = WorkspaceOptions::files();
  for (const NamedFile& file : SystemFiles::files()) all.push_back(file);
  return all;
}

void SolverOptions::check() {
  verify = read_b.empty();
  if (times == 0) times = default_times();
  if (inner_format.empty()) inner_format = format;
  WorkspaceOptions::check();
  if (contains(solvers, std::string(all_names))) {
    solvers.clear();
    for (const auto& row : spmv::solvers()) solvers.emplace_back(row.name);
  }
  for (const std::string& solver : solvers) pick(spmv::solvers(), solver, "solver");
  const bool one_run = solvers.size() == 1 && (any_mode || modes.size() == 1) && transports.size() == 1;
  if (!checkpoint.empty() && !(one_run && times == 1))
    throw Error(
        ExitCode::usage,
        "--checkpoint holds the x of one solver, which is run once: name one solver, one mode and one "
        "transport, and leave --times out");
}

}  // namespace spmv
