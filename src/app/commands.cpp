#include "app/commands.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/declare_options.hpp"
#include "app/option_names.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "dist/machine/product_time.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

constexpr int most_ranks = 1 << 20;

void declare_rank_counts(CLI::App& app, Options& o) {
  app.add_option("--ranks", o.rank_counts, "numbers of ranks, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(1, most_ranks))
      ->allow_extra_args(false)
      ->default_str("1")
      ->group("Product");
}

void declare_convert(CLI::App& app, Options& o) {
  app.add_option("files", o.files, "the file to read, unless --generate is given, and the file to write")
      ->group("Input");
  declare_source(app, o);
  app.add_option(
         "--parts", o.stored_parts,
         "store a partition for each of these numbers of ranks, comma-separated, which later runs take")
      ->delimiter(',')
      ->check(CLI::Range(1, most_ranks))
      ->allow_extra_args(false)
      ->group("Product");
  declare_partition(app, o);
  for (const char* of_parts : {"--partition", "--seed"}) app.get_option(of_parts)->needs("--parts");
  declare_timeout(app, o);
}

/// Throws unless the partitions that the user wants stored are worth it, and there is a file to store them in.
void check_parts(const Options& o) {
  if (o.stored_parts.empty()) return;
  std::string worth;
  for (const Partitioner& partitioner : partitioners())
    if (partitioner.worth_keeping) worth.append(worth.empty() ? "" : ", ").append(partitioner.name);
  if (!pick(partitioners(), o.partition, "partitioner").worth_keeping)
    throw Error(
        ExitCode::usage,
        fmt::format("--parts stores partitions that are sooner read than made, and those of --partition "
                    "{} are not: take one of {}",
                    o.partition, worth));
  if (!o.output_file.ends_with(".spmv"))
    throw Error(ExitCode::usage,
                fmt::format("--parts: only a .spmv file has room for partitions; {} is not called one",
                            printable(o.output_file)));
}

/// The ranks at hand only count: nothing is multiplied.
void without_products(Options& o) {
  o.modes.clear();
  o.backend = "host";
}

/// The last of the files is the one to write. Nothing is multiplied.
void take_files(Options& o) {
  without_products(o);
  const std::size_t wanted = o.generate.empty() ? 2 : 1;
  if (o.files.size() != wanted)
    throw Error(ExitCode::usage,
                fmt::format("convert takes {} and not {}: spmv_dist convert matrix.mtx matrix.spmv, or "
                            "spmv_dist convert --generate SPECIFICATION matrix.spmv",
                            wanted == 2 ? "two files" : "one file with --generate", o.files.size()));
  if (wanted == 2) o.matrix_file = o.files.front();
  o.output_file = o.files.back();
  check_parts(o);
}

void declare_generate(CLI::App& app, Options& o) {
  app.add_option("matrix", o.generate, "what to make:" + generator_names())->required()->group("Input");
  declare_value(app, o);
  app.add_option("-o,--output", o.output_file, "the file, packed if its name ends in .gz")
      ->required()
      ->group("Output");
  declare_timeout(app, o);
}

void declare_analyze(CLI::App& app, Options& o) {
  declare_input(app, o);
  declare_device(app, o);
  declare_choice(app, o);
  declare_json(app, o, "write all of it");
}

void declare_machine(CLI::App& app, Options& o) {
  std::string known;
  for (const Machine& machine : machines())
    known += fmt::format("\n{}: {}", machine.name, machine.description);
  app.add_option("--machine", o.machine, "a JSON file that describes the machine, or one of" + known)
      ->capture_default_str()
      ->group("Plan");
}

void declare_model(CLI::App& app, Options& o) {
  constexpr double most = 1e6;
  declare_input(app, o);
  declare_machine(app, o);
  declare_number(app, "--pcie", o.pcie_gbytes, "bandwidth between the host and that GPU, GB/s each way", 1e-3,
                 most)
      ->group("Plan");
  declare_number(app, "--gpu-cache", o.gpu_cache_mbytes, "cache of that GPU, MB", 0, most)->group("Plan");
  declare_timeout(app, o);
  declare_json(app, o, "write all of it");
}

void declare_plan(CLI::App& app, Options& o) {
  declare_input(app, o);
  declare_rank_counts(app, o);
  declare_machine(app, o);
  declare_partition(app, o);
  declare_products(app, o);
  declare_timeout(app, o);
  declare_json(app, o, "write all of it, with the share of every rank");
}

void declare_compare(CLI::App& app, Options& o) {
  declare_input(app, o);
  declare_device(app, o);
  declare_format(app, o);
  declare_seed(app, o);
  declare_products(app, o);
  app.add_flag("--measure", o.measure,
               "build the matrix over every partition, multiply, and look at the results")
      ->group("Measurement");
  declare_max_seconds(app, o);
  declare_timeout(app, o);
  declare_json(app, o, "write all of it, with the share of every rank");
}

void declare_info(CLI::App& app, Options& o) {
  declare_input(app, o);
  declare_rank_counts(app, o);
  declare_format(app, o);
  declare_partition(app, o);
  declare_device(app, o);
  declare_verify(app, o);
}

void declare_calibrate(CLI::App& app, Options& o) {
  o.tune_cache = default_tuning_cache();
  declare_device(app, o);
  declare_tune_cache(app, o);
  declare_timeout(app, o);
}

/// What the program does other than multiply: a row of the table of commands.
struct CommandRow {
  Command command;
  const char* name;
  const char* summary;
  /// Declares the options that stand behind the command's name.
  void (*declare)(CLI::App& app, Options& options);
  /// What is left to be done when they have been read; nullptr for nothing. Throws Error(usage).
  void (*finish)(Options& options) = nullptr;
};

constexpr CommandRow commands[] = {
    {Command::analyze, "analyze",
     "what the matrix looks like to storage formats, and what each would cost; on one rank", declare_analyze},
    {Command::doctor, "doctor",
     "examines this launch: launcher, MPI, cores, GPUs, and every transport; on the ranks that you will use",
     declare_device},
    {Command::convert, "convert",
     "writes a matrix as a .spmv file, which is read at the speed of the disk, or as PETSc's (NAME.petsc); on any number of ranks",
     declare_convert, take_files},
    {Command::generate, "generate",
     "writes a matrix from a formula to a Matrix Market file; on any number of ranks", declare_generate},
    {Command::info, "info",
     "how much memory a run would need on every rank, without loading the matrix; on one rank", declare_info},
    {Command::model, "model",
     "whether a matrix is worth a GPU by the model of its bytes, without running products; on one rank",
     declare_model, without_products},
    {Command::plan, "plan",
     "what a matrix would be on other numbers of ranks and another machine: balance, halo, predicted times",
     declare_plan, without_products},
    {Command::partition, "partition",
     "what every partitioner makes of a matrix: time, balance, halo, predicted and, if wanted, measured products",
     declare_compare},
    {Command::calibrate, "calibrate",
     "measures how fast formats are on this machine, for format auto: some seconds, on as many ranks as runs will have",
     declare_calibrate},
};

/// Commands of earlier versions that are tools in Python now.
constexpr std::string_view moved_commands[] = {"compare", "jobscript", "report", "scale"};

/// Flags that print what the program knows, and need no ranks for it.
constexpr std::string_view telling_flags[] = {"--version", "--list", "--bash-completion"};

template <class Words>
bool has(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Refuses options that stand before the name of a command, which has options of its own: they would be taken
/// for those of a run without a command, and do nothing.
void require_nothing_before(const CLI::App& app, const CLI::App& command) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_name() == "--version" || option->get_name() == "--list") continue;
    const std::string name = option->get_name();
    if (command.get_option_no_throw(name) == nullptr)
      throw Error(ExitCode::usage,
                  fmt::format("{0} has no {1}; see spmv_dist {0} --help", command.get_name(), name));
    throw Error(ExitCode::usage,
                fmt::format("{1} belongs behind the name of the command: spmv_dist {0} ... {1} ...",
                            command.get_name(), name));
  }
}

}  // namespace

bool needs_no_mpi(std::string_view word) {
  return has(telling_flags, word) || has(moved_commands, word);
}

void refuse_moved_command(std::string_view word) {
  if (has(moved_commands, word))
    throw Error(ExitCode::usage,
                fmt::format("unknown command '{0}': start python3 -m spmv_dist.{0}, which is in the Python "
                            "package of this program",
                            word));
}

std::string hint_of_moved_option(std::string_view complaint) {
  if (complaint.find("--html") == std::string_view::npos) return {};
  return "; for a page of figures: --json FILE, then python3 -m spmv_dist.report FILE -o PAGE.html";
}

DeclaredCommands::DeclaredCommands(CLI::App& app) : app_(app) {
  for (const CommandRow& row : commands) {
    options_.emplace_back().command = row.command;
    commands_.push_back(app.add_subcommand(row.name, row.summary));
    row.declare(*commands_.back(), options_.back());
  }
}

void DeclaredCommands::take_named(Options& options) {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i]->parsed()) continue;
    require_nothing_before(app_, *commands_[i]);
    options = options_[i];
    if (commands[i].finish != nullptr) commands[i].finish(options);
    return;
  }
}

}  // namespace spmv
