#include "app/run/load.hpp"

#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "load/load_partitions.hpp"

namespace spmv {

MatrixSource find_source(const Run& run) {
  run.watchdog.stage("looking at the matrix");
  const Options& options = run.options;
  return options.generate.empty() ? find_file(run.communicator, options.matrix_file)
                                  : find_generator(run.communicator, options.generate);
}

std::string value_type(const Options& options, const MatrixSource& source) {
  return options.value == "auto" ? source.value : options.value;
}

StageListener stage_listener(Watchdog& watchdog) {
  return [&watchdog](const std::string& stage, double share) { watchdog.stage(stage, {.share = share}); };
}

LoadProgress load_progress(const Run& run) {
  const auto say_first = [&run](const char* kind) {
    return [&run, kind](const std::string& sentence) {
      if (run.communicator.rank() == 0) say(kind + sentence);
    };
  };
  return {stage_listener(run.watchdog), say_first("warning: "), say_first("note: ")};
}

template <class T>
RowBlock<T> load_with_progress(const Run& run, const MatrixSource& source, const RowPartition& rows) {
  run.watchdog.stage("loading the matrix");
  return load_rows<T>(run.communicator, source, rows, load_progress(run));
}

MatrixCache open_cache(const Run& run, const MatrixSource& source) {
  return {run.communicator, source, run.options.cache, load_progress(run),
          [&run](const std::string& path, const std::string& temporary) {
            remove_at_early_end(run.results, path, temporary);
          }};
}

std::vector<ReadyPartition> ready_partitions(const Run& run, const MatrixSource& source,
                                             const Ownership& read, const PartitionRequest& request) {
  return load_ready(run.communicator, source, read, request,
                    run.automatic_partition() ? std::string() : run.options.partition);
}

SPMV_INSTANTIATE(load_with_progress);

}  // namespace spmv
