#include "app/options.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/option_names.hpp"
#include "app/report/version.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "dist/tuning_cache.hpp"
#include "io/generate/generator.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

constexpr double longest_seconds = 1e9;

void check_format(const std::string& name) {
  pick(format_names(), name, "format");
}

void check_names(const Options& o) {
  pick(value_types(), o.value, "value type");
  pick(vector_places(), o.vectors, "place of the vectors");
  pick(layout_names(), o.layout, "layout");
  check_format(o.format);
  if (!o.nonlocal_format.empty()) check_format(o.nonlocal_format);
  if (!o.hint.empty()) pick(hints(), o.hint, "hint");
  pick(partitioners(), o.partition, "partitioner");
  pick(order_names(), o.order, "order");
  if (o.transports.empty())
    throw Error(ExitCode::usage, "--transport names no transport; see spmv_dist --list");
  for (const std::string& transport : o.transports) pick(transport_names(), transport, "transport");
  if (o.backend != "auto") pick(backends(), o.backend, "backend");
  if (o.modes.empty()) throw Error(ExitCode::usage, "--mode names no mode; see spmv_dist --list");
  for (const std::string& mode : o.modes) pick(mode_names(), mode, "mode");
  if (o.command != Command::doctor && o.matrix_file.empty() == o.generate.empty())
    throw Error(ExitCode::usage, "give either a Matrix Market file or --generate; see spmv_dist --help");
  if (!o.generate.empty()) make_generator(o.generate);  // refuses unknown names and bad parameters
  if (o.min_repetitions > o.max_repetitions)
    throw Error(ExitCode::usage, "--min-repetitions is larger than --max-repetitions");
}

/// The words between commas.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// "all" stands for every mode, in the table's order.
void expand_modes(Options& o) {
  if (std::find(o.modes.begin(), o.modes.end(), "all") == o.modes.end()) return;
  o.modes.clear();
  o.all_modes = true;
  for (const auto& mode : modes<double>()) o.modes.emplace_back(mode.name);
}

/// "all" stands for auto and every transport. auto comes first: its trials tell which of the others work.
void expand_transports(Options& o) {
  if (std::find(o.transports.begin(), o.transports.end(), "all") != o.transports.end()) {
    o.transports = {auto_transport};
    for (const Transport& transport : transports()) o.transports.emplace_back(transport.name);
  }
  std::stable_partition(o.transports.begin(), o.transports.end(),
                        [](const std::string& name) { return name == auto_transport; });
}

void declare_input(CLI::App& app, Options& o) {
  app.add_option("matrix", o.matrix_file, "Matrix Market file, .mtx or .mtx.gz")->group("Input");
  std::string generator_names;
  for (const Generator& g : generators()) generator_names += fmt::format("\n{}:{}", g.name, g.parameters);
  app.add_option("--generate", o.generate, "make a matrix instead of reading one:" + generator_names)
      ->group("Input");
  app.add_option("--value", o.value, "value type: " + names(value_types()))
      ->capture_default_str()
      ->group("Input");
}

void declare_device(CLI::App& app, Options& o) {
  app.add_option("--backend", o.backend, "device: auto (a GPU if there is one), " + names(backends()))
      ->capture_default_str()
      ->group("Product");
}

CLI::Validator one_of(const std::vector<int>& values) {
  return CLI::Validator(
      [values](std::string& text) {
        for (const int value : values)
          if (text == std::to_string(value)) return std::string();
        return fmt::format("'{}' is none of {}", text, fmt::join(values, ", "));
      },
      "");
}

/// A finite number from `least` to `most`.
CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        double number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, status] = std::from_chars(text.data() + text.starts_with('+'), end, number);
        if (status == std::errc() && stop == end && number >= least && number <= most) return std::string();
        return fmt::format("'{}' is no number from {:g} to {:g}", text, least, most);
      },
      fmt::format("{:g} to {:g}", least, most));
}

/// Declares the option that fixes a field of FormatOptions.
void declare_field(CLI::App& app, Options& o, const OptionField& field) {
  const auto fix = [&o, &field](int value) {
    field.set(o.format_options, value);
    if (value != 0) o.fixed_options.emplace_back(field.name);
  };
  if (field.is_switch) {
    app.add_flag_callback(field.flag, [fix] { fix(1); }, field.summary)->group("Format");
    return;
  }
  app.add_option_function<int>(field.flag, fix, field.summary)
      ->check(field.allowed.empty() ? CLI::Validator(CLI::Range(field.least, field.most))
                                    : one_of(field.allowed))
      ->default_str(std::to_string(field.get({})))
      ->group("Format");
}

/// Options that say what format auto is for, and those that fix fields which it then leaves as they are.
void declare_choice(CLI::App& app, Options& o) {
  app.add_option("--products", o.products, "format auto: number of products that the format is for")
      ->check(number_between(1, 1e15))
      ->capture_default_str()
      ->group("Format");
  app.add_option("--hint", o.hint, "format auto: what the matrix is, tried first: " + names(hints()))
      ->group("Format");
  for (const OptionField& field : option_fields()) declare_field(app, o, field);
}

void declare_json(CLI::App& app, Options& o, const char* summary) {
  app.add_option("--json", o.json_file, summary)->group("Output");
}

void declare(CLI::App& app, Options& o) {
  declare_input(app, o);
  // The list is one word that is split here. An option that takes several words would take the name of the
  // matrix file behind it for one of them.
  app.add_option_function<std::string>(
         "--mode", [&o](const std::string& list) { o.modes = split_list(list); },
         "modes, comma-separated: " + names(mode_names()))
      ->default_str("all")
      ->group("Product");
  app.add_option("--format", o.format, "storage format: " + names(format_names()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--nonlocal-format", o.nonlocal_format,
                 "format of the nonlocal part of layout split (default: as --format)")
      ->group("Product");
  app.add_option("--partition", o.partition, "partitioner: " + names(partitioners()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--order", o.order, "order of each rank's rows: " + names(order_names()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--seed", o.seed, "seed of the partitioner and the order")
      ->capture_default_str()
      ->group("Product");
  app.add_option_function<std::string>(
         "--transport", [&o](const std::string& list) { o.transports = split_list(list); },
         "transports of the halo, comma-separated: " + names(transport_names()) +
             "; of several, those that cannot work are left out")
      ->default_str(auto_transport)
      ->group("Product");
  app.add_option("--layout", o.layout,
                 "layout of a rank's rows in modes with several: " + names(layout_names()) +
                     "; a mode without the one named has its own")
      ->capture_default_str()
      ->group("Product");
  declare_device(app, o);
  app.add_option("--vectors", o.vectors, "where x and y live between products: " + names(vector_places()))
      ->capture_default_str()
      ->group("Product");

  declare_choice(app, o);
  app.add_option("--tune-cache", o.tune_cache, "format auto: file of remembered choices, or off")
      ->default_str(o.tune_cache)
      ->group("Format");

  app.add_option("--warmup", o.warmup, "products before measuring")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--min-repetitions", o.min_repetitions, "least number of measured products")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--max-repetitions", o.max_repetitions, "largest number of measured products")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--max-seconds", o.max_seconds,
                 "measure a mode no longer than this, once the least number is reached")
      ->check(number_between(0, longest_seconds))
      ->capture_default_str()
      ->group("Measurement");
  app.add_flag("--verify,!--no-verify", o.verify,
               "compare every mode with the serial reference (default: yes)")
      ->group("Measurement");
  app.add_option("--timeout", o.timeout,
                 "end the run, exit code 7, when a step makes no progress for so many seconds; 0: never")
      ->check(number_between(0, longest_seconds))
      ->capture_default_str()
      ->group("Measurement");

  declare_json(app, o, "write everything that was measured, with the environment");
  app.add_option("--csv", o.csv_file, "write one line per mode, with the environment")->group("Output");
  app.add_option("--trace", o.trace_file,
                 "write the timeline of one product of every mode and rank (Chrome trace, Perfetto)")
      ->group("Output");
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

TuneRequest tune_request(const Options& options, double bandwidth) {
  TuneRequest request;
  request.products = options.products;
  request.hint = options.hint;
  request.options = options.format_options;
  request.fixed = options.fixed_options;
  request.bandwidth = bandwidth;
  return request;
}

ParsedOptions parse_options(int argc, char** argv) {
  ParsedOptions parsed;
  bool version = false, list = false;
  CLI::App app("Distributed sparse matrix-vector product: mpirun -np N spmv_dist matrix.mtx", "spmv_dist");
  app.get_formatter()->column_width(34);
  Options& options = parsed.options;
  options.tune_cache = default_tuning_cache();
  declare(app, options);
  CLI::App& analyze = *app.add_subcommand("analyze",
                                          "what the matrix looks like to storage formats, and what "
                                          "each would cost; on one rank");
  Options analyze_options, doctor_options;
  doctor_options.command = Command::doctor;
  analyze_options.command = Command::analyze;
  declare_input(analyze, analyze_options);
  declare_device(analyze, analyze_options);
  declare_choice(analyze, analyze_options);
  declare_json(analyze, analyze_options, "write all of it");
  CLI::App& doctor = *app.add_subcommand("doctor",
                                         "examines this launch: launcher, MPI, cores, GPUs, and every "
                                         "transport; on the ranks that you will use");
  declare_device(doctor, doctor_options);
  app.add_flag("--version", version, "print versions and leave")->group("Output");
  app.add_flag("--list", list,
               "print every format, mode, transport, partitioner, backend and generator, and leave")
      ->group("Output");
  app.footer(
      "Exit codes: 0 fine, 1 internal, 2 usage, 3 wrong result, 4 input, 5 unfit environment, 7 timeout, 8 "
      "memory");
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.text_instead = analyze.parsed() ? analyze.help() : doctor.parsed() ? doctor.help() : app.help();
    return parsed;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, std::string(error.what()) + "; see spmv_dist --help");
  }
  if (version)
    parsed.text_instead = version_text();
  else if (list)
    parsed.text_instead = full_listing();
  else {
    for (const CLI::App* command : app.get_subcommands()) require_nothing_before(app, *command);
    if (analyze.parsed()) options = analyze_options;
    if (doctor.parsed()) options = doctor_options;
    if (options.tune_cache == "off") options.tune_cache.clear();
    expand_modes(options);
    expand_transports(options);
    check_names(options);
  }
  return parsed;
}

}  // namespace spmv
