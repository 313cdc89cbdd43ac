#include <ctime>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "app/launch/doctor.hpp"
#include "app/launch/machine.hpp"
#include "app/launch/transport_child.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/report.hpp"
#include "app/report/version.hpp"
#include "app/run/analyze.hpp"
#include "app/run/pipeline.hpp"
#include "comm/communicator.hpp"
#include "core/write_file.hpp"

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

ExitCode run_program(const Communicator& communicator, int argc, char** argv) {
  if (is_transport_child(argc, argv)) return run_transport_child(communicator, argv);
  const bool speaks = communicator.rank() == 0;
  const ParsedOptions parsed = communicator.together([&] { return parse_options(argc, argv); });
  if (!parsed.text_instead.empty()) {
    if (speaks) fmt::print("{}", parsed.text_instead);
    return ExitCode::ok;
  }
  const Options& options = parsed.options;
  if (options.command == Command::analyze && communicator.size() > 1)
    throw AgreedError(ExitCode::usage, "analyze looks at the matrix as a whole: run it on one rank");
  Watchdog watchdog(options.timeout, communicator.rank());
  communicator.together([&] {
    for (const std::string& path : {options.json_file, options.csv_file, options.trace_file})
      if (speaks && !path.empty()) require_writable(path);
  });
  if (options.command == Command::doctor) return examine(communicator, options, watchdog);
  require_fit_launch(communicator, options);
  const Place place = find_machine(communicator, options);
  for (const std::string& warning : launch_warnings(communicator, options, place))
    if (speaks) fmt::print(stderr, "warning: {}\n", warning);

  const Run run{communicator, options, place, watchdog};
  if (options.command == Command::analyze) {
    const AnalysisReport report = analyze_matrix(run);
    communicator.together([&] {
      if (!speaks) return;
      fmt::print("{}", to_text(report));
      std::fflush(stdout);
      if (!options.json_file.empty()) write_file(options.json_file, to_json(report));
    });
    return ExitCode::ok;
  }
  RunReport report = run_pipeline(run);
  complete(report, run, argc, argv);
  watchdog.stage("writing the results");
  communicator.together([&] {
    if (!speaks) return;
    fmt::print("{}", to_text(report));
    std::fflush(stdout);
    if (!options.json_file.empty()) write_file(options.json_file, to_json(report));
    if (!options.csv_file.empty()) write_file(options.csv_file, to_csv(report));
    if (!options.trace_file.empty()) write_file(options.trace_file, to_trace(report));
  });
  for (const ModeResult& mode : report.modes)
    if (mode.rows_wrong > 0) {
      if (speaks) fmt::print(stderr, "spmv_dist: mode {} gave a wrong result\n", mode.mode);
      return ExitCode::wrong_result;
    }
  return ExitCode::ok;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  const MpiSession session(argc, argv);
  const Communicator communicator = Communicator::world();
  try {
    return static_cast<int>(run_program(communicator, argc, argv));
  } catch (const AgreedError& error) {
    if (communicator.rank() == 0) fmt::print(stderr, "spmv_dist: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const Error& error) {
    fmt::print(stderr, "spmv_dist: rank {}: {}\n", communicator.rank(), error.what());
    communicator.abort(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "spmv_dist: rank {}: out of host memory: use more ranks on more nodes\n",
               communicator.rank());
    communicator.abort(ExitCode::memory);
  } catch (const std::exception& error) {
    fmt::print(stderr, "spmv_dist: rank {}: {}\n", communicator.rank(), error.what());
    communicator.abort(ExitCode::internal);
  }
}
