#include "app/run/generate.hpp"

#include <string>

#include <fmt/format.h>
#include <omp.h>

#include "app/run/load.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "comm/place/openmp_threads.hpp"
#include "core/printable.hpp"
#include "load/write_matrix.hpp"

namespace spmv {
ExitCode generate_file(const Communicator& communicator, const Options& options, Watchdog& watchdog,
                       Results& results) {
  const auto source = communicator.together([&] {
    threads_in_environment();
    try_threads(omp_get_max_threads());
    return make_generator(options.generate);
  });
  const std::string& path = options.output_file;
  WriteProgress progress;
  progress.stage = stage_listener(watchdog);
  progress.unfinished = [&](const std::string& temporary) { give_up_at_early_end(results, path, temporary); };
  const std::string comment = fmt::format("{}: {}", options.generate, source->describe());
  const WrittenMatrix written =
      with_value_type(value_type(options, find_generator(communicator, options.generate)), [&](auto tag) {
        return write_matrix<typename decltype(tag)::Type>(communicator, *source, comment, path, progress);
      });
  results.on_early_end([path] { return printable(path) + " is written"; });
  const Shape shape = source->shape();
  if (communicator.rank() == 0)
    say(fmt::format("{}: {} x {}, {} nonzeros, {:.1f} MB", path, shape.rows, shape.cols, written.nonzeros,
                    static_cast<double>(written.bytes) * 1e-6));
  return ExitCode::ok;
}

}  // namespace spmv
