#include "app/commands.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/compare/compare_results.hpp"
#include "app/declare_options.hpp"
#include "app/html/make_page.hpp"
#include "app/jobscript/job_script.hpp"
#include "app/jobscript/sites.hpp"
#include "app/option_names.hpp"
#include "app/scale/launchers.hpp"
#include "app/scale/scale.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "dist/machine_model.hpp"
#include "dist/partitioner.hpp"
#include "dist/tuning_cache.hpp"

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

void declare_compare_results(CLI::App& app, Options& o) {
  app.add_option("A", o.compare.before,
                 "results to compare with: what --json of a run has written, or points of scale")
      ->required()
      ->group("Input");
  app.add_option("B", o.compare.after, "results to judge")->required()->group("Input");
  declare_number(
      app, "--min-ratio", o.compare.min_ratio,
      "exit code 6 where a mode of B is, beyond chance, slower than so many times the speed of A, such as 0.95",
      0, 1e6)
      ->default_str("")
      ->group("Product");
  declare_json(app, o, "write all of it");
}

/// A list that is one word with commas, which is split here.
CLI::Option* declare_list(CLI::App& app, const char* name, std::vector<std::string>& list,
                          const std::string& summary) {
  return app
      .add_option_function<std::string>(
          name, [&list](const std::string& text) { list = split_list(text); }, summary)
      ->group("Study");
}

void declare_study(CLI::App& app, Options& o) {
  ScaleOptions& s = o.scale;
  // CLI11 takes the words behind -- for those of the command as long as one of its positionals has no word: so there are two.
  app.add_option_function<std::string>(
         "matrix", [&s](const std::string& word) { s.words.insert(s.words.begin(), word); },
         "file with a matrix, unless --generate is given")
      ->group("Input");
  app.add_option_function<std::vector<std::string>>(
         "options",
         [&s](const std::vector<std::string>& words) {
           s.words.insert(s.words.end(), words.begin(), words.end());
         },
         "of every run, behind --")
      ->group("Input");
  declare_source(app, o);
  app.add_flag("--weak", s.weak,
               "weak scaling: {ranks} and {96*ranks} in the matrix are numbers that grow with the ranks")
      ->group("Input");
  app.add_option(
         "--ranks", s.ranks,
         "numbers of ranks, comma-separated (default: powers of two up to the allocation, the GPUs or the cores)")
      ->delimiter(',')
      ->check(CLI::Range(1, most_ranks))
      ->allow_extra_args(false)
      ->group("Study");
  declare_list(app, "--mode", o.modes, "modes, comma-separated: " + names(mode_names()))->default_str("all");
  declare_list(app, "--format", s.formats, "storage formats, comma-separated: " + names(format_names()))
      ->default_str("auto");
  declare_list(app, "--transport", o.transports, "transports, comma-separated: " + names(transport_names()))
      ->default_str(auto_transport);
  declare_list(app, "--partition", s.partitions, "partitioners, comma-separated: " + names(partitioners()))
      ->default_str("auto");
  app.add_option("--launcher", s.launcher,
                 "auto (srun in an allocation of Slurm, else mpirun), " + names(run_launchers()))
      ->capture_default_str()
      ->group("Launch");
  app.add_option(
         "--launcher-option", s.launcher_options,
         "a word for the launcher; may be repeated; they replace the binding that is chosen otherwise")
      ->allow_extra_args(false)
      ->group("Launch");
  app.add_option("--cores-per-rank", s.cores_per_rank,
                 "of every run (default: cores over the largest number of ranks, so that all have the same)")
      ->check(CLI::Range(1, most_ranks))
      ->group("Launch");
  app.add_option("--ranks-per-node", s.ranks_per_node, "for srun (default: tasks per node of the allocation)")
      ->check(CLI::Range(1, most_ranks))
      ->group("Launch");
  app.add_option("--keep-runs", s.keep_runs,
                 "folder: keep there what --json of every run has written, for spmv_dist report")
      ->group("Output");
  app.add_option("--program", s.program, "what the runs start (default: this program)")->group("Launch");
}

void declare_scale(CLI::App& app, Options& o) {
  ScaleOptions& s = o.scale;
  declare_study(app, o);
  declare_number(app, "--run-limit", s.run_limit,
                 "end a run, and the study with exit code 7, after so many seconds; 0: never", 0, 1e9)
      ->group("Launch");
  declare_timeout(app, o);
  app.add_flag("--dry-run", s.only_tell, "tell what would be run, and run nothing")->group("Launch");
  app.add_option("-o,--results", s.results,
                 "file of the points, a JSON object a line: what it has is not measured again")
      ->required()
      ->group("Output");
}

void declare_jobscript(CLI::App& app, Options& o) {
  app.add_option("--site", o.job.site, "batch system: " + names(sites()))->required()->group("Job");
  declare_study(app, o);
  app.add_option("--nodes", o.job.nodes, "nodes of the allocation, as many as the largest run needs")
      ->check(CLI::Range(1, most_ranks))
      ->capture_default_str()
      ->group("Job");
  app.add_option("--gpus-per-node", o.job.gpus_per_node,
                 "GPUs to ask for on every node; as many ranks, unless --ranks-per-node says otherwise")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group("Job");
  app.add_option("--time", o.job.time, "limit of the job, hours:minutes:seconds")
      ->capture_default_str()
      ->group("Job");
  app.add_option("--name", o.job.name, "of the job")->capture_default_str()->group("Job");
  app.add_option("--account", o.job.account, "that the job is charged to")->group("Job");
  app.add_option("--queue", o.job.queue, "that the job waits in; Slurm calls it partition")->group("Job");
  app.add_option("--module", o.job.modules, "environment module to load; may be repeated")
      ->allow_extra_args(false)
      ->group("Job");
  app.add_option("--results", o.scale.results, "file of the points, a JSON object a line")
      ->capture_default_str()
      ->group("Output");
  app.add_option("-o,--output", o.output_file, "file of the script (default: printed)")->group("Output");
}

void declare_report(CLI::App& app, Options& o) {
  app.add_option("files", o.files,
                 "what --json has written: .json files of one run, .jsonl files with one run a line")
      ->required()
      ->group("Input");
  app.add_option("-o,--output", o.output_file, "the page")->required()->group("Output");
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
  /// Does all of it, for a command without ranks; nullptr for one that runs on ranks.
  AloneCommand alone = nullptr;
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
    {Command::compare, "compare",
     "how fast one set of results is beside another, with intervals, and what differs in the environment; without MPI",
     declare_compare_results, nullptr, compare_results},
    {Command::scale, "scale",
     "strong or weak scaling over ranks, modes, formats, transports and partitioners; starts the runs itself, and goes on where it was ended",
     declare_scale, nullptr, run_study},
    {Command::jobscript, "jobscript", "writes a job script for a scaling study: Slurm, PBS, LSF, or none",
     declare_jobscript, nullptr, write_job_script},
    {Command::report, "report",
     "makes one HTML page of figures, complete in itself, of the results of one or many runs; without MPI",
     declare_report, nullptr, html::make_page},
};

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

bool runs_alone(std::string_view word) {
  return std::any_of(std::begin(commands), std::end(commands),
                     [word](const CommandRow& row) { return row.alone != nullptr && row.name == word; });
}

DeclaredCommands::DeclaredCommands(CLI::App& app) : app_(app) {
  for (const CommandRow& row : commands) {
    options_.emplace_back().command = row.command;
    commands_.push_back(app.add_subcommand(row.name, row.summary));
    row.declare(*commands_.back(), options_.back());
  }
}

AloneCommand DeclaredCommands::take_named(Options& options) {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i]->parsed()) continue;
    require_nothing_before(app_, *commands_[i]);
    options = options_[i];
    if (commands[i].finish != nullptr) commands[i].finish(options);
    return commands[i].alone;
  }
  return nullptr;
}

}  // namespace spmv
