#include "app/commands/convert.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/run/load.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "load/load_partitions.hpp"
#include "load/save_matrix.hpp"

namespace spmv {
namespace {

/// A conversion in a session.
struct Task : Session {
  const ConvertOptions& options;
};

/// Whether the values are left out: a pattern has none, unless the user asks for a value type, or entries that are
/// named twice have been added up. Collective.
template <class T>
bool leaves_values_out(const Task& task, const MatrixSource& source, const RowBlock<T>& block) {
  if (!source.pattern || task.options.value != "auto") return false;
  if (all_ones(task.communicator, block)) return true;
  if (task.first_rank())
    say("note: the pattern names entries more than once, and they are added up: their sums are stored as values");
  return false;
}

/// The partition of the user's partitioner for so many ranks; adds its time to `seconds`. Collective.
template <class T>
Assignment partition_for(const Task& task, const Ownership& read, const RowBlock<T>& block, int ranks,
                         double& seconds) {
  task.watchdog.stage(fmt::format("partitioning for {} ranks", ranks));
  StageTimer timer(task.communicator);
  const Partitioner& partitioner = pick(partitioners(), task.options.partition, "partitioner");
  const PartitionRequest request{.parts = ranks, .seed = task.options.seed};
  Assignment assignment = assign_rows(task.communicator, partitioner, read, block, request);
  seconds += timer.lap();
  return assignment;
}

/// The partitions to store: those of the source, and those that the user wants, none twice. The arguments must outlive it;
/// see partition_for() for `seconds`.
template <class T>
std::vector<NewPartition> partitions_to_store(const Task& task, const MatrixSource& source,
                                              const Ownership& read, const RowBlock<T>& block,
                                              double& seconds) {
  std::vector<NewPartition> partitions;
  for (std::size_t i = 0; i < source.partitions.size(); ++i)
    partitions.push_back(
        {source.partitions[i], [&, i] { return load_partition(task.communicator, source, i, read); }});
  for (const int ranks : task.options.stored_parts) {
    const StoredPartition name{task.options.partition, task.options.seed, ranks};
    if (std::any_of(partitions.begin(), partitions.end(), [&](const auto& p) { return p.name == name; }))
      continue;
    require_built(pick(partitioners(), task.options.partition, "partitioner"));
    partitions.push_back({name, [&, ranks] { return partition_for(task, read, block, ranks, seconds); }});
  }
  if (partitions.size() > BinaryHeader::most_partitions)
    throw AgreedError(ExitCode::usage,
                      fmt::format("--parts: a .spmv file has room for {} partitions, and these would be {}",
                                  BinaryHeader::most_partitions, partitions.size()));
  return partitions;
}

template <class T>
std::string convert_as(const Task& task, const MatrixSource& source) {
  const Ownership read = Ownership::even(source.shape, task.communicator.size());
  StageTimer timer(task.communicator);
  const std::string& path = task.options.output_file;
  const bool petsc = is_petsc_name(path);
  RowBlock<T> block;
  double partition_s = 0;
  SaveOptions options = save_options(task, path);
  // Refuses partitions that cannot be made before the matrix is read, which may take long.
  if (!petsc) options.partitions = partitions_to_store(task, source, read, block, partition_s);
  block = load_with_progress<T>(task, source, read.rows);
  const double load_s = timer.lap();
  const bool pattern = leaves_values_out(task, source, block);
  task.watchdog.stage("writing the file");
  options.pattern = pattern;
  const SavedMatrix saved = (petsc ? save_petsc<T> : save_matrix<T>)(task.communicator, path, source.shape,
                                                                     read.rows, block, options);
  const double save_s = timer.lap() - partition_s;
  const std::size_t partitions = options.partitions.size();
  return fmt::format(
      "{}: {} x {}, {} nonzeros, {}, {}-bit columns, {}{:.1f} MB; read in {:.3f} s, {}written in {:.3f} s\n",
      task.options.output_file, source.shape.rows, source.shape.cols, saved.nonzeros,
      petsc     ? (is_complex<T> ? "complex_double" : "double")
      : pattern ? "pattern"
                : value_name<T>(),
      8 * saved.column_bytes,
      partitions > 0 ? fmt::format("{} partition{}, ", partitions, partitions > 1 ? "s" : "") : "",
      saved.megabytes, load_s, partition_s > 0 ? fmt::format("partitioned in {:.3f} s, ", partition_s) : "",
      save_s);
}

/// Throws unless the partitions that the user wants stored are worth storing, and the file has room for partitions.
void check_parts(const ConvertOptions& o) {
  if (o.stored_parts.empty()) return;
  std::string worth;
  for (const Partitioner& partitioner : partitioners())
    if (partitioner.worth_keeping) worth.append(worth.empty() ? "" : ", ").append(partitioner.name);
  if (!pick(partitioners(), o.partition, "partitioner").worth_keeping)
    throw Error(
        ExitCode::usage,
        fmt::format("--parts stores partitions that take longer to make than to read, which --partition {} "
                    "does not: take one of {}",
                    o.partition, worth));
  if (!o.output_file.ends_with(".spmv"))
    throw Error(
        ExitCode::usage,
        fmt::format(
            "--parts: only a .spmv file has room for partitions, and the name {} does not end in .spmv",
            printable(o.output_file)));
}

/// Loads the matrix, writes it to the file that the user named, and prints what is in it. Collective; throws AgreedError.
ExitCode run_convert(const Session& session, const ConvertOptions& options) {
  prepare_host(session.communicator);
  session.print(with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return convert_as<typename decltype(tag)::Type>(Task{session, options}, source);
  }));
  return ExitCode::ok;
}

}  // namespace

void ConvertOptions::declare(CLI::App& app) {
  app.add_option("files", operands, "the file to read, unless --generate is given, and the file to write")
      ->group("Input");
  declare_source(app, *this);
  declare_counts(
      app, "--parts", stored_parts,
      "store a partition for each of these numbers of ranks, comma-separated, which later runs take");
  declare_partition(app, *this);
  for (const char* of_parts : {"--partition", "--seed"}) app.get_option(of_parts)->needs("--parts");
  declare_timeout(app, timeout);
}

void ConvertOptions::check() {
  const std::size_t wanted = generate.empty() ? 2 : 1;
  if (operands.size() != wanted)
    throw Error(ExitCode::usage,
                fmt::format("convert takes {} and not {}: spmv_dist convert matrix.mtx matrix.spmv, or "
                            "spmv_dist convert --generate SPECIFICATION matrix.spmv",
                            wanted == 2 ? "two files" : "one file with --generate", operands.size()));
  if (wanted == 2) matrix_file = operands.front();
  output_file = operands.back();
  check_parts(*this);
  check_matrix(*this);
}

NamedFiles ConvertOptions::files() const {
  return {{"the matrix", matrix_file, FileUse::read}, {"the file to write", output_file, FileUse::binary}};
}

std::unique_ptr<Command> declare_convert(CLI::App& app) {
  return command<ConvertOptions, run_convert>(app);
}

}  // namespace spmv
