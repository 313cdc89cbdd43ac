#include "app/options.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/version.hpp"
#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "io/generate/generator.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {
namespace {

struct NamedText {
  const char* name;
  const char* summary;
};

const std::vector<NamedText>& value_types() {
  static const std::vector<NamedText> table = {
      {"auto", "double, or complex_double for a complex file"},
      {"float", "32-bit real"},
      {"double", "64-bit real"},
      {"complex_float", "two 32-bit reals"},
      {"complex_double", "two 64-bit reals"},
  };
  return table;
}

const std::vector<NamedText>& vector_places() {
  static const std::vector<NamedText> table = {
      {"device", "x and y stay on the device from product to product"},
      {"host", "x and y cross to the device and back in every product, as the paper counts it"},
  };
  return table;
}

template <class Row>
std::string names(const std::vector<Row>& table) {
  std::string text;
  for (const Row& row : table) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

template <class Row>
std::string listing(std::string_view title, const std::vector<Row>& table) {
  std::string text = fmt::format("{}\n", title);
  for (const Row& row : table) text += fmt::format("  {:<16} {}\n", row.name, row.summary);
  return text;
}

std::string full_listing() {
  std::string text = listing("formats", formats<double>()) + listing("modes", modes<double>()) +
                     listing("transports", transports()) + listing("partitioners", partitioners()) +
                     listing("backends", backends()) + listing("value types", value_types()) + "generators\n";
  for (const Generator& g : generators())
    text += fmt::format("  {}:{}\n      {}\n", g.name, g.parameters, g.summary);
  return text;
}

void check_names(const Options& o) {
  pick(value_types(), o.value, "value type");
  pick(vector_places(), o.vectors, "place of the vectors");
  pick(formats<double>(), o.format, "format");
  if (!o.nonlocal_format.empty()) pick(formats<double>(), o.nonlocal_format, "format");
  pick(partitioners(), o.partition, "partitioner");
  pick(transports(), o.transport, "transport");
  if (o.backend != "auto") pick(backends(), o.backend, "backend");
  if (o.modes.empty()) throw Error(ExitCode::usage, "--mode names no mode; see spmv_dist --list");
  for (const std::string& mode : o.modes)
    if (mode != "all") pick(modes<double>(), mode, "mode");
  if (o.matrix_file.empty() == o.generate.empty())
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
  for (const auto& mode : modes<double>()) o.modes.emplace_back(mode.name);
}

void declare(CLI::App& app, Options& o) {
  app.add_option("matrix", o.matrix_file, "Matrix Market file, .mtx or .mtx.gz")->group("Input");
  std::string generator_names;
  for (const Generator& g : generators()) generator_names += fmt::format("\n{}:{}", g.name, g.parameters);
  app.add_option("--generate", o.generate, "make a matrix instead of reading one:" + generator_names)
      ->group("Input");
  app.add_option("--value", o.value, "value type: " + names(value_types()))
      ->capture_default_str()
      ->group("Input");

  // One word, split here: an option of several words would swallow the file's name behind it.
  app.add_option_function<std::string>(
         "--mode", [&o](const std::string& list) { o.modes = split_list(list); },
         "modes, comma-separated: " + names(modes<double>()) + ", all")
      ->default_str("all")
      ->group("Product");
  app.add_option("--format", o.format, "storage format: " + names(formats<double>()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--nonlocal-format", o.nonlocal_format, "format of the nonlocal part (default: as --format)")
      ->group("Product");
  app.add_option("--block-rows", o.block_rows, "pJDS: rows padded together, b_r")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--partition", o.partition, "partitioner: " + names(partitioners()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--seed", o.seed, "seed of the partitioner")->capture_default_str()->group("Product");
  app.add_option("--transport", o.transport, "transport of the halo: " + names(transports()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--backend", o.backend, "device: auto (a GPU if there is one), " + names(backends()))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--vectors", o.vectors, "where x and y live between products: " + names(vector_places()))
      ->capture_default_str()
      ->group("Product");

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
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  app.add_flag("--verify,!--no-verify", o.verify,
               "compare every mode with the serial reference (default: yes)")
      ->group("Measurement");
  app.add_option("--timeout", o.timeout,
                 "end the run, exit code 7, when a step makes no progress for so many seconds; 0: never")
      ->check(CLI::Range(0.0, 1e8))
      ->capture_default_str()
      ->group("Measurement");

  app.add_option("--json", o.json_file, "write everything that was measured, with the environment")
      ->group("Output");
  app.add_option("--csv", o.csv_file, "write one line per mode, with the environment")->group("Output");
  app.add_option("--trace", o.trace_file,
                 "write the timeline of one product of every mode and rank (Chrome trace, Perfetto)")
      ->group("Output");
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  ParsedOptions parsed;
  bool version = false, list = false;
  CLI::App app("Distributed sparse matrix-vector product: mpirun -np N spmv_dist matrix.mtx", "spmv_dist");
  app.get_formatter()->column_width(34);
  declare(app, parsed.options);
  app.add_flag("--version", version, "print versions and leave")->group("Output");
  app.add_flag("--list", list,
               "print every format, mode, transport, partitioner, backend and generator, and leave")
      ->group("Output");
  app.footer(
      "Exit codes: 0 fine, 1 internal, 2 usage, 3 wrong result, 4 input, 5 unfit environment, 7 timeout, 8 "
      "memory");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.text_instead = app.help();
    return parsed;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, std::string(error.what()) + "; see spmv_dist --help");
  }
  if (version)
    parsed.text_instead = version_text();
  else if (list)
    parsed.text_instead = full_listing();
  else {
    expand_modes(parsed.options);
    check_names(parsed.options);
  }
  return parsed;
}

}  // namespace spmv
