#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/launch/doctor.hpp"
#include "app/launch/end_signals.hpp"
#include "app/launch/environment.hpp"
#include "app/launch/last_words.hpp"
#include "app/launch/launcher.hpp"
#include "app/launch/machine.hpp"
#include "app/launch/transport_child.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/version.hpp"
#include "app/results.hpp"
#include "app/run/analyze.hpp"
#include "app/run/calibrate.hpp"
#include "app/run/compare_partitions.hpp"
#include "app/run/convert.hpp"
#include "app/run/generate.hpp"
#include "app/run/info.hpp"
#include "app/run/model_matrix.hpp"
#include "app/run/pipeline.hpp"
#include "app/run/plan_ranks.hpp"
#include "app/say.hpp"
#include "comm/communicator.hpp"
#include "comm/require_same.hpp"
#include "core/as_error.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// A report with what identifies the run. Collective.
RunReport begin_report(const Run& run, int argc, char** argv) {
  const Options& options = run.options;
  RunReport report;
  report.ranks = run.communicator.size();
  report.nodes = run.place.nodes;
  report.backend = run.place.backend->name();
  report.on_host = run.place.backend->runs_host_code();
  report.places = run.communicator.gather(run.place.description);
  report.partitioner = options.partition;
  report.seed = options.seed;
  report.block_rows = options.format_options.block_rows;
  report.vectors = options.vectors;
  report.versions = version_text();
  report.environment = find_environment(run.communicator, run.place);
  report.date = now();
  for (int i = 0; i < argc; ++i) report.command_line.append(i > 0 ? " " : "").append(argv[i]);
  return report;
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

/// Ends a run whose results, on rank 0, have been written: with `code`, or if there was nothing worse to tell,
/// with an error for what could not be written. Collective.
ExitCode end(const Run& run, ExitCode code) {
  const std::string failures = run.communicator.broadcast(run.results.failures());
  if (failures.empty()) return code;
  if (code == ExitCode::ok) throw AgreedError(ExitCode::environment, failures);
  if (run.communicator.rank() == 0) say("spmv_dist: " + failures);
  return code;
}

/// Collective.
template <class Report>
void write(const Run& run, const Report& report) {
  run.watchdog.stage("writing the results", {.quiet = true});
  run.communicator.together([&] { run.results.write(report); });
}

ExitCode analyze(const Run& run) {
  write(run, analyze_matrix(run));
  return end(run, ExitCode::ok);
}

ExitCode model(const Run& run) {
  write(run, model_matrix(run));
  return end(run, ExitCode::ok);
}

ExitCode plan(const Run& run) {
  write(run, plan_ranks(run));
  return end(run, ExitCode::ok);
}

ExitCode compare(const Run& run) {
  const PartitionsReport report = compare_partitions(run);
  write(run, report);
  return end(run, report.wrong() ? ExitCode::wrong_result : ExitCode::ok);
}

/// Prints on rank 0 what a command has to tell. Collective.
ExitCode tell(const Run& run, const std::string& text) {
  run.watchdog.stage("writing the results", {.quiet = true});
  run.communicator.together([&] {
    if (run.communicator.rank() == 0) write_stdout(printable_lines(text));
  });
  return ExitCode::ok;
}

ExitCode convert(const Run& run) {
  return tell(run, convert_matrix(run));
}

ExitCode multiply(const Run& run, int argc, char** argv) {
  const RunReport report = run_pipeline(run, begin_report(run, argc, argv));
  write(run, report);
  return end(run, verdict(report, run.communicator.rank() == 0));
}

/// What the user has asked for, read before MPI starts because --timeout holds for MPI's start as well.
class Asked {
 public:
  Asked(int argc, char** argv) : words_(argv + 1, argv + std::max(argc, 1)) {
    try {
      parsed_ = parse_options(argc, argv);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what was wrong with the options, also where ranks were started with other ones. Collective.
  const ParsedOptions& options(const Communicator& communicator) const {
    const bool understood = communicator.min(gidx{failure_ == nullptr}) == 1;
    require_same(communicator, understood ? parsed_.given : Given{{"the command line", line()}});
    communicator.together([&] {
      if (failure_) std::rethrow_exception(failure_);
    });
    return parsed_;
  }
  double timeout() const { return parsed_.options.timeout; }

 private:
  std::string line() const { return fmt::format("{}", fmt::join(words_, "' '")); }

  std::vector<std::string> words_;
  ParsedOptions parsed_;
  std::exception_ptr failure_;
};

ExitCode run_program(const Communicator& communicator, const Asked& asked, Watchdog& watchdog,
                     Results& results, int argc, char** argv) {
  if (is_transport_child(argc, argv)) return run_transport_child(communicator, argv);
  const bool speaks = communicator.rank() == 0;
  if (speaks) watchdog.show_stages();
  const ParsedOptions& parsed = asked.options(communicator);
  if (!parsed.text_instead.empty()) {
    communicator.together([&] {
      if (speaks) write_stdout(parsed.text_instead);
    });
    return ExitCode::ok;
  }
  const Options& options = parsed.options;
  if (options.command == Command::analyze && communicator.size() > 1)
    throw AgreedError(ExitCode::usage, "analyze looks at the matrix as a whole: run it on one rank");
  if (options.command == Command::model && communicator.size() > 1)
    throw AgreedError(ExitCode::usage, "model walks the matrix as a whole: run it on one rank");
  if (options.command == Command::info && communicator.size() > 1)
    throw AgreedError(ExitCode::usage,
                      "info speaks of ranks that need not be there: run it on one rank, with --ranks N");
  communicator.together([&] {
    if (speaks) results.go_to(options);
  });
  if (options.command == Command::doctor) return examine(communicator, options, watchdog);
  require_fit_launch(communicator, options);
  if (options.command == Command::generate) return generate_file(communicator, options, watchdog, results);
  const Place place = find_machine(communicator, options);
  for (const std::string& warning : launch_warnings(communicator, options, place))
    if (speaks) say("warning: " + warning);

  const Run run{communicator, options, place, watchdog, results};
  if (options.command == Command::info) return tell_memory(run);
  if (options.command == Command::analyze) return analyze(run);
  if (options.command == Command::model) return model(run);
  if (options.command == Command::plan) return plan(run);
  if (options.command == Command::partition) return compare(run);
  if (options.command == Command::calibrate) return tell(run, calibrate_machine(run));
  return options.command == Command::convert ? convert(run) : multiply(run, argc, argv);
}

/// Ends all ranks where this one cannot join the others: they would wait for it, in MPI, and it for them.
/// Collective.
Communicator all_ranks() {
  try {
    return Communicator::world();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    say(fmt::format("spmv_dist: rank {}: {}", launched_rank(), error.what()));
    MpiSession::abort(error.code());
  }
}

/// The program between MPI's start and its end. Collective.
ExitCode run_in_mpi(const Asked& asked, Watchdog& watchdog, Results& results, int argc, char** argv) {
  const Communicator communicator = all_ranks();
  try {
    return run_program(communicator, asked, watchdog, results, argc, argv);
  } catch (const AgreedError& error) {
    if (communicator.rank() == 0) say(std::string("spmv_dist: ") + error.what());
    return error.code();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    watchdog.end_showing();
    say(fmt::format("spmv_dist: rank {}: {}", communicator.rank(), error.what()));
    communicator.abort(error.code());
  }
  return ExitCode::internal;  // abort() does not return
}

/// Ends a process that a signal has asked to end, from beside whatever it does: rank 0 writes what has been
/// measured. The others give it the time, because a launcher ends all ranks when one has left. A batch system
/// ends what is still there after some thirty seconds, Open MPI's mpirun after one.
[[noreturn]] void end_early(Results& results, int rank, const std::string& doing, int number,
                            const std::string& name) {
  constexpr double grace_s = 5;
  if (rank == 0) {
    const std::string because = fmt::format("ended by {} while {}", name, doing);
    last_words(
        [&results, because] { say(fmt::format("note: {}: {}", because, results.write_incomplete(because))); },
        grace_s);
  } else {
    std::this_thread::sleep_for(std::chrono::duration<double>(grace_s));
  }
  std::_Exit(128 + number);  // what a shell says of a process that such a signal has ended
}

/// Where an exception meets nobody who could handle it, as when memory runs out in the destructor of a library's
/// object: says what happened and ends the process with the exit code for it, and the launcher the other ranks.
[[noreturn]] void end_unhandled() noexcept {
  ExitCode code = ExitCode::internal;
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    say(fmt::format("spmv_dist: rank {}: std::terminate was called", launched_rank()));
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    code = error.code();
    say(fmt::format("spmv_dist: rank {}: {}", launched_rank(), error.what()));
  } catch (...) {
    say(fmt::format("spmv_dist: rank {}: something was thrown that is no std::exception", launched_rank()));
  }
  std::_Exit(static_cast<int>(code));
}

/// The program without MPI, for what has no ranks.
ExitCode run_without_mpi(int argc, char** argv) {
  try {
    const ParsedOptions parsed = parse_options(argc, argv);
    write_stdout(parsed.text_instead);
    return ExitCode::ok;
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    say(std::string("spmv_dist: ") + error.what());
    return error.code();
  }
}

ExitCode run_with_mpi(int argc, char** argv) {
  const Asked asked(argc, argv);
  Results results;
  // A rank may be stopped before MPI knows it, or while it takes its leave: the others then wait in MPI. How long
  // MPI needs is up to the launcher and the network, so this may take longer than what the program does by itself.
  constexpr double beyond_timeout = 20;
  const int rank = launched_rank();
  Watchdog watchdog(asked.timeout(), rank,
                    [&](const std::string& because) { results.write_incomplete(because); });
  std::atomic<int> over = -1;  // the exit code, once all has been said and written
  const EndSignals signals([&](int number, const std::string& name) {
    watchdog.end_showing();
    // A launcher ends all ranks when the first has left with an exit code: that is no news.
    if (const int code = over.load(); code >= 0) std::_Exit(code);
    end_early(results, rank, watchdog.current_stage(), number, name);
  });
  watchdog.stage("starting MPI", {.beyond_timeout = beyond_timeout, .quiet = true});
  const MpiSession session(argc, argv);
  watchdog.stage("starting", {.quiet = true});
  const ExitCode code = run_in_mpi(asked, watchdog, results, argc, argv);
  over.store(static_cast<int>(code));
  watchdog.stage("ending MPI", {.beyond_timeout = beyond_timeout, .quiet = true});
  return code;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  let_writes_fail();
  let_libraries_say();
  std::set_terminate(end_unhandled);
  try {
    // Started on several ranks by mistake, or on some of them, it finds out there that the others were started alike or not.
    if (argc > 1 && needs_no_mpi(argv[1]) && launched_ranks() == 1)
      return static_cast<int>(run_without_mpi(argc, argv));
    return static_cast<int>(run_with_mpi(argc, argv));
  } catch (const std::exception& thrown) {  // what fails before MPI has started
    const Error error = as_error(thrown);
    say(std::string("spmv_dist: ") + error.what());
    return static_cast<int>(error.code());
  }
}
