#include "app/run/convert.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "load/load_partitions.hpp"
#include "load/save_matrix.hpp"

namespace spmv {
namespace {

/// Whether the values are left out: a pattern has none, unless the user asks for a value type, or entries that are
/// named twice have been added up. Collective.
template <class T>
bool leaves_values_out(const Run& run, const MatrixSource& source, const RowBlock<T>& block) {
  if (!source.pattern || run.options.value != "auto") return false;
  if (all_ones(run.communicator, block)) return true;
  if (run.communicator.rank() == 0)
    say("note: the pattern names entries more than once, and they are added up: their sums are stored as values");
  return false;
}

/// What the partitioner that the user named makes for so many ranks; `seconds` gets what it takes added. Collective.
template <class T>
Assignment partition_for(const Run& run, const Ownership& read, const RowBlock<T>& block, int ranks,
                         double& seconds) {
  run.watchdog.stage(fmt::format("partitioning for {} ranks", ranks));
  StageTimer timer(run.communicator);
  const Partitioner& partitioner = pick(partitioners(), run.options.partition, "partitioner");
  const PartitionRequest request{.parts = ranks, .seed = run.options.seed};
  Assignment assignment = assign_rows(run.communicator, partitioner, read, block, request);
  seconds += timer.lap();
  return assignment;
}

/// What the file is to have besides the matrix: the partitions that the source has, and those that the user wants, none
/// twice. What is referred to must outlive it; see partition_for() for `seconds`.
template <class T>
std::vector<NewPartition> partitions_to_store(const Run& run, const MatrixSource& source,
                                              const Ownership& read, const RowBlock<T>& block,
                                              double& seconds) {
  std::vector<NewPartition> partitions;
  for (std::size_t i = 0; i < source.partitions.size(); ++i)
    partitions.push_back(
        {source.partitions[i], [&, i] { return load_partition(run.communicator, source, i, read); }});
  for (const int ranks : run.options.stored_parts) {
    const StoredPartition name{run.options.partition, run.options.seed, ranks};
    if (std::any_of(partitions.begin(), partitions.end(), [&](const auto& p) { return p.name == name; }))
      continue;
    require_built(pick(partitioners(), run.options.partition, "partitioner"));
    partitions.push_back({name, [&, ranks] { return partition_for(run, read, block, ranks, seconds); }});
  }
  if (partitions.size() > BinaryHeader::most_partitions)
    throw AgreedError(ExitCode::usage,
                      fmt::format("--parts: a .spmv file has room for {} partitions, and these would be {}",
                                  BinaryHeader::most_partitions, partitions.size()));
  return partitions;
}

template <class T>
std::string convert_as(const Run& run, const MatrixSource& source) {
  const Ownership read = Ownership::even(source.shape, run.communicator.size());
  StageTimer timer(run.communicator);
  const std::string& path = run.options.output_file;
  const bool petsc = is_petsc_name(path);
  RowBlock<T> block;
  double partition_s = 0;
  SaveOptions options;
  // Before the matrix is read, which may take long: partitions that cannot be made are refused here.
  if (!petsc) options.partitions = partitions_to_store(run, source, read, block, partition_s);
  block = load_with_progress<T>(run, source, read.rows);
  const double load_s = timer.lap();
  const bool pattern = leaves_values_out(run, source, block);
  run.watchdog.stage("writing the file");
  options.pattern = pattern;
  options.stage = stage_listener(run.watchdog);
  options.drafted = [&](const std::string& name) {
    remove_at_early_end(run.results, run.options.output_file, name);
  };
  const SavedMatrix saved = (petsc ? save_petsc<T> : save_matrix<T>)(run.communicator, path, source.shape,
                                                                     read.rows, block, options);
  const double save_s = timer.lap() - partition_s;
  const std::size_t partitions = options.partitions.size();
  return fmt::format(
      "{}: {} x {}, {} nonzeros, {}, {}-bit columns, {}{:.1f} MB; read in {:.3f} s, {}written in {:.3f} s\n",
      run.options.output_file, source.shape.rows, source.shape.cols, saved.nonzeros,
      petsc     ? (is_complex<T> ? "complex_double" : "double")
      : pattern ? "pattern"
                : value_name<T>(),
      8 * saved.column_bytes,
      partitions > 0 ? fmt::format("{} partition{}, ", partitions, partitions > 1 ? "s" : "") : "",
      saved.megabytes, load_s, partition_s > 0 ? fmt::format("partitioned in {:.3f} s, ", partition_s) : "",
      save_s);
}

}  // namespace

std::string convert_matrix(const Run& run) {
  const MatrixSource source = find_source(run);
  return with_value_type(value_type(run.options, source),
                         [&](auto tag) { return convert_as<typename decltype(tag)::Type>(run, source); });
}

}  // namespace spmv
