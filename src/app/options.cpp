#include "app/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/completion.hpp"
#include "app/declare_options.hpp"
#include "app/option_names.hpp"
#include "app/report/version.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "io/generate/generator.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

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
  if (o.command != Command::convert && o.command != Command::plan && o.command != Command::model &&
      o.modes.empty())
    throw Error(ExitCode::usage, "--mode names no mode; see spmv_dist --list");
  for (const std::string& mode : o.modes) pick(mode_names(), mode, "mode");
  const bool takes_matrix = o.command != Command::doctor && o.command != Command::calibrate;
  if (takes_matrix && o.matrix_file.empty() == o.generate.empty())
    throw Error(ExitCode::usage, "give either a file with a matrix or --generate; see spmv_dist --help");
  if (!o.generate.empty()) make_generator(o.generate);  // refuses unknown names and bad parameters
  if (o.min_repetitions > o.max_repetitions)
    throw Error(ExitCode::usage, "--min-repetitions is larger than --max-repetitions");
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

/// What stood on the command line for an app: operands and options, and its command with those of its own.
std::map<std::string, std::string> given_to(const CLI::App& app) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0)
      given[fmt::format("{} {}", option->get_positional() ? "operand" : "option", option->get_name())] =
          fmt::format("{}", fmt::join(option->results(), "' '"));
  for (const CLI::App* command : app.get_subcommands()) {
    given["command"] = command->get_name();
    given.merge(given_to(*command));
  }
  return given;
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
  bool version = false, list = false, completion = false;
  CLI::App app("Distributed sparse matrix-vector product: mpirun -np N spmv_dist matrix.mtx", "spmv_dist");
  app.get_formatter()->column_width(34);
  Options& options = parsed.options;
  options.tune_cache = default_tuning_cache();
  declare_run(app, options);
  DeclaredCommands declared(app);
  app.add_flag("--version", version, "print versions and leave")->group("Output");
  app.add_flag("--list", list,
               "print every format, mode, transport, partitioner, backend and generator, and leave")
      ->group("Output");
  app.add_flag("--bash-completion", completion,
               "print a script that completes options and their words in bash, and leave")
      ->group("Output");
  app.footer(
      "Exit codes: 0 fine, 1 internal, 2 usage, 3 wrong result, 4 input, 5 unfit environment, 7 timeout, "
      "8 memory");
  app.require_subcommand(0, 1);
  if (argc > 1) refuse_moved_command(argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.text_instead = app.get_subcommands().empty() ? app.help() : app.get_subcommands().front()->help();
    parsed.given = given_to(app);
    return parsed;
  } catch (const CLI::ExtrasError&) {  // whose own words have them in reverse order
    const std::string words = fmt::format("{}", fmt::join(app.remaining(true), " "));
    throw Error(ExitCode::usage,
                fmt::format("not expected: {}{}; see spmv_dist --help", words, hint_of_moved_option(words)));
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage,
                error.what() + hint_of_moved_option(error.what()) + "; see spmv_dist --help");
  }
  parsed.given = given_to(app);
  if (version)
    parsed.text_instead = version_text();
  else if (list)
    parsed.text_instead = full_listing();
  else if (completion)
    parsed.text_instead = bash_completion(app);
  else {
    declared.take_named(options);
    if (options.tune_cache == "off") options.tune_cache.clear();
    expand_modes(options);
    expand_transports(options);
    check_names(options);
  }
  return parsed;
}

}  // namespace spmv
