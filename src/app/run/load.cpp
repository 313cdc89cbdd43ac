#include "app/run/load.hpp"

#include <fmt/format.h>

#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "load/load_partitions.hpp"

namespace spmv {

MatrixSource find_source(const Session& session, const MatrixOptions& options) {
  session.watchdog.stage("looking at the matrix");
  if (!options.generate.empty()) return find_generator(session.communicator, options.generate);
  try {
    return find_file(session.communicator, options.matrix_file);
  } catch (const AgreedError& error) {
    if (!names_a_generator(options.matrix_file)) throw;
    throw AgreedError(error.code(), fmt::format("{}; to make a matrix instead, write --generate {}",
                                                error.what(), options.matrix_file));
  }
}

std::string value_type(const MatrixOptions& options, const MatrixSource& source) {
  return options.value == "auto" ? source.value : options.value;
}

LoadProgress load_progress(const Session& session) {
  const auto say_first = [&session](const char* kind) {
    return [&session, kind](const std::string& sentence) {
      if (session.first_rank()) say(kind + sentence);
    };
  };
  return {stage_listener(session.watchdog), say_first("warning: "), say_first("note: ")};
}

template <class T>
RowBlock<T> load_with_progress(const Session& session, const MatrixSource& source, const RowPartition& rows) {
  session.watchdog.stage("loading the matrix");
  return load_rows<T>(session.communicator, source, rows, load_progress(session));
}

MatrixCache open_cache(const Run& run, const MatrixSource& source) {
  return {run.communicator, source, run.options.cache, load_progress(run),
          [&run](const std::string& path, const std::string& temporary) {
            discard_at_early_end(run.results, path, temporary);
          }};
}

std::vector<ReadyPartition> ready_partitions(const Session& session, const MatrixSource& source,
                                             const Ownership& read, const PartitionRequest& request,
                                             const std::string& partitioner) {
  return load_ready(session.communicator, source, read, request,
                    partitioner == "auto" ? std::string() : partitioner);
}

SPMV_INSTANTIATE(load_with_progress);

}  // namespace spmv
