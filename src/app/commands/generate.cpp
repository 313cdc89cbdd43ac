#include "app/commands/generate.hpp"

#include <string>

#include <fmt/format.h>
#include <omp.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/run/load.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "comm/place/openmp_threads.hpp"
#include "core/printable.hpp"
#include "load/write_matrix.hpp"

namespace spmv {
namespace {

/// Writes the file, and says on rank 0's standard error what is in it. A process that is ended early leaves
/// neither the file nor parts of it. Collective; throws AgreedError.
ExitCode run_generate(const Session& session, const GenerateOptions& options) {
  const Communicator& communicator = session.communicator;
  require_fit_launch(communicator, {});
  const auto source = communicator.together([&] {
    threads_in_environment();
    try_threads(omp_get_max_threads());
    return make_generator(options.generate);
  });
  const std::string& path = options.output_file;
  WriteProgress progress;
  progress.stage = stage_listener(session.watchdog);
  progress.unfinished = [&](const std::string& temporary) {
    discard_at_early_end(session.results, path, temporary);
  };
  const std::string comment = fmt::format("{}: {}", options.generate, source->describe());
  const WrittenMatrix written =
      with_value_type(value_type(options, find_generator(communicator, options.generate)), [&](auto tag) {
        return write_matrix<typename decltype(tag)::Type>(communicator, *source, comment, path, progress);
      });
  session.results.on_early_end([path] { return printable(path) + " is written"; });
  const Shape shape = source->shape();
  if (session.first_rank())
    say(fmt::format("{}: {} x {}, {} nonzeros, {:.1f} MB", path, shape.rows, shape.cols, written.nonzeros,
                    static_cast<double>(written.bytes) * 1e-6));
  return ExitCode::ok;
}

}  // namespace

void GenerateOptions::declare(CLI::App& app) {
  app.add_option("matrix", generate, "what to make:" + generator_names())
      ->required()
      ->check(a_generator())
      ->group("Input");
  declare_value(app, *this);
  app.add_option("-o,--output", output_file, "the file, packed if its name ends in .gz")
      ->required()
      ->group("Output");
  declare_timeout(app, timeout);
}

std::unique_ptr<Command> declare_generate(CLI::App& app) {
  return command<GenerateOptions, run_generate>(app);
}

}  // namespace spmv
