// Shared by the format benchmarks: their main function, exit codes and options for the measuring time.
#pragma once

#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/error.hpp"
#include "format_measure.hpp"

namespace spmv {

inline void declare_rounds(CLI::App& app, Rounds& rounds) {
  app.add_option("--rounds", rounds.count, "rounds of measurements, in which formats take turns")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--batch-ms", rounds.batch_ms, "approximate time of the products between two events")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

/// Parses the command line and runs. Returns the exit code. Prints a failure in one line that begins with the
/// name of `app`.
template <class Run>
int bench_main(CLI::App& app, int argc, char** argv, const Run& run) {
  const auto failed = [&](const std::exception& error, ExitCode code) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return static_cast<int>(code);
  };
  try {
    app.parse(argc, argv);
    return static_cast<int>(run());
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return failed(error, ExitCode::usage);
  } catch (const Error& error) {
    return failed(error, error.code());
  } catch (const std::exception& error) {
    return failed(error, ExitCode::internal);
  }
}

}  // namespace spmv
