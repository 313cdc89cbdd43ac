#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/launch/doctor.hpp"
#include "app/launch/launcher.hpp"
#include "app/launch/machine.hpp"
#include "app/launch/transport_child.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/outputs.hpp"
#include "app/report/report.hpp"
#include "app/report/version.hpp"
#include "app/run/analyze.hpp"
#include "app/run/pipeline.hpp"
#include "app/say.hpp"
#include "comm/communicator.hpp"
#include "core/as_error.hpp"
#include "core/output_file.hpp"

namespace spmv {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// Adds what identifies the run to its report. Collective.
void complete(RunReport& report, const Run& run, int argc, char** argv) {
  const Options& options = run.options;
  report.ranks = run.communicator.size();
  report.nodes = run.place.nodes;
  report.backend = run.place.backend->name();
  report.places = run.communicator.gather(run.place.description);
  report.partitioner = options.partition;
  report.seed = options.seed;
  report.block_rows = options.format_options.block_rows;
  report.vectors = options.vectors;
  report.versions = version_text();
  report.date = now();
  for (int i = 0; i < argc; ++i) report.command_line.append(i > 0 ? " " : "").append(argv[i]);
}

/// Whether every product was right; rank 0 names the modes in which one was not, once each.
ExitCode verdict(const RunReport& report, bool speaks) {
  std::vector<std::string> wrong;
  for (const ModeResult& mode : report.modes)
    if (mode.rows_wrong > 0 && std::find(wrong.begin(), wrong.end(), mode.mode) == wrong.end())
      wrong.push_back(mode.mode);
  if (wrong.empty()) return ExitCode::ok;
  if (speaks)
    say(fmt::format("spmv_dist: mode{} {} gave a wrong result", wrong.size() > 1 ? "s" : "",
                    fmt::join(wrong, ", ")));
  return ExitCode::wrong_result;
}

/// Ends a run whose `outputs`, on rank 0, have been written: with `code`, or if there was nothing worse to
/// tell, with an error for what could not be written. Collective.
ExitCode end(const Communicator& communicator, const std::optional<Outputs>& outputs, ExitCode code) {
  const std::string failures = communicator.broadcast(outputs ? outputs->failures() : "");
  if (failures.empty()) return code;
  if (code == ExitCode::ok) throw AgreedError(ExitCode::environment, failures);
  if (outputs) say("spmv_dist: " + failures);
  return code;
}

ExitCode analyze(const Run& run, std::optional<Outputs>& outputs) {
  const AnalysisReport report = analyze_matrix(run);
  run.watchdog.stage("writing the results");
  run.communicator.together([&] {
    if (!outputs) return;
    outputs->write("--json", [&] { return to_json(report); });
    outputs->print(to_text(report));
  });
  return end(run.communicator, outputs, ExitCode::ok);
}

ExitCode multiply(const Run& run, std::optional<Outputs>& outputs, int argc, char** argv) {
  RunReport report = run_pipeline(run);
  complete(report, run, argc, argv);
  run.watchdog.stage("writing the results");
  run.communicator.together([&] {
    if (!outputs) return;
    outputs->write("--json", [&] { return to_json(report); });
    outputs->write("--csv", [&] { return to_csv(report); });
    outputs->write("--trace", [&] { return to_trace(report); });
    outputs->print(to_text(report));
  });
  return end(run.communicator, outputs, verdict(report, outputs.has_value()));
}

/// What the user has asked for, read before MPI starts because --timeout holds for MPI's start as well.
class Asked {
 public:
  Asked(int argc, char** argv) {
    try {
      parsed_ = parse_options(argc, argv);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what was wrong with the options. Local and the same on every rank.
  const ParsedOptions& options() const {
    if (failure_) std::rethrow_exception(failure_);
    return parsed_;
  }
  double timeout() const { return parsed_.options.timeout; }

 private:
  ParsedOptions parsed_;
  std::exception_ptr failure_;
};

ExitCode run_program(const Communicator& communicator, const Asked& asked, Watchdog& watchdog, int argc,
                     char** argv) {
  if (is_transport_child(argc, argv)) return run_transport_child(communicator, argv);
  const bool speaks = communicator.rank() == 0;
  const ParsedOptions parsed = communicator.together([&] { return asked.options(); });
  if (!parsed.text_instead.empty()) {
    communicator.together([&] {
      if (speaks) write_stdout(parsed.text_instead);
    });
    return ExitCode::ok;
  }
  const Options& options = parsed.options;
  if (options.command == Command::analyze && communicator.size() > 1)
    throw AgreedError(ExitCode::usage, "analyze looks at the matrix as a whole: run it on one rank");
  std::optional<Outputs> outputs;  // on rank 0
  communicator.together([&] {
    if (speaks) outputs.emplace(options);
  });
  if (options.command == Command::doctor) return examine(communicator, options, watchdog);
  require_fit_launch(communicator, options);
  const Place place = find_machine(communicator, options);
  for (const std::string& warning : launch_warnings(communicator, options, place))
    if (speaks) say("warning: " + warning);

  const Run run{communicator, options, place, watchdog};
  return options.command == Command::analyze ? analyze(run, outputs) : multiply(run, outputs, argc, argv);
}

/// The program between MPI's start and its end. Collective.
ExitCode run_in_mpi(const Asked& asked, Watchdog& watchdog, int argc, char** argv) {
  const Communicator communicator = Communicator::world();
  try {
    return run_program(communicator, asked, watchdog, argc, argv);
  } catch (const AgreedError& error) {
    if (communicator.rank() == 0) say(std::string("spmv_dist: ") + error.what());
    return error.code();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    say(fmt::format("spmv_dist: rank {}: {}", communicator.rank(), error.what()));
    communicator.abort(error.code());
  }
  return ExitCode::internal;  // abort() does not return
}

ExitCode run_with_mpi(int argc, char** argv) {
  const Asked asked(argc, argv);
  // A rank may be stopped before MPI knows it, or while it takes its leave: the others then wait in MPI. How long
  // MPI needs is up to the launcher and the network, so this may take longer than what the program does by itself.
  constexpr double beyond_timeout = 20;
  Watchdog watchdog(asked.timeout(), launched_rank());
  watchdog.stage("starting MPI", beyond_timeout);
  const MpiSession session(argc, argv);
  watchdog.stage("starting");
  const ExitCode code = run_in_mpi(asked, watchdog, argc, argv);
  watchdog.stage("ending MPI", beyond_timeout);
  return code;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  let_writes_fail();
  try {
    return static_cast<int>(run_with_mpi(argc, argv));
  } catch (const std::exception& thrown) {  // what fails before MPI has started
    const Error error = as_error(thrown);
    say(std::string("spmv_dist: ") + error.what());
    return static_cast<int>(error.code());
  }
}
