#include "app/declare_options.hpp"

#include <sstream>

#include <fmt/format.h>

#include "app/option_names.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/backend.hpp"
#include "core/number.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "io/generate/generator.hpp"
#include "kernels/format.hpp"

namespace spmv {
namespace {

constexpr double longest_seconds = 1e9;

CLI::Validator one_of(const std::vector<int>& values) {
  return CLI::Validator(
      [values](std::string& text) {
        for (const int value : values)
          if (text == std::to_string(value)) return std::string();
        return fmt::format("'{}' is none of {}", text, fmt::join(values, ", "));
      },
      "");
}

/// Declares the option that fixes a field of FormatOptions.
void declare_field(CLI::App& app, Options& o, const OptionField& field) {
  const auto fix = [&o, &field](int value) {
    field.set(o.format_options, value);
    if (value != 0) o.fixed_options.emplace_back(field.name);
  };
  if (field.is_switch) {
    app.add_flag_callback(
           field.flag, [fix] { fix(1); }, field.summary)
        ->group("Format");
    return;
  }
  app.add_option_function<int>(field.flag, fix, field.summary)
      ->check(field.allowed.empty() ? CLI::Validator(CLI::Range(field.least, field.most))
                                    : one_of(field.allowed))
      ->default_str(std::to_string(field.get({})))
      ->group("Format");
}

}  // namespace

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

CLI::Option* declare_number(CLI::App& app, const char* name, double& number, const char* summary,
                            double least, double most) {
  const auto refuse = [least, most](const std::string& word) {
    const auto given = number_in<double>(word);
    return given && *given >= least && *given <= most
               ? std::string()
               : fmt::format("'{}' is no number from {:g} to {:g}", word, least, most);
  };
  return app
      .add_option_function<std::string>(
          name, [&number](const std::string& word) { number = number_in<double>(word).value_or(number); },
          summary)
      ->check(CLI::Validator(refuse, fmt::format("{:g} to {:g}", least, most)))
      ->type_name("FLOAT")
      ->default_str(fmt::format("{:g}", number));
}

void declare_timeout(CLI::App& app, Options& o) {
  declare_number(app, "--timeout", o.timeout,
                 "end the run, exit code 7, when a step makes no progress for so many seconds; 0: never", 0,
                 longest_seconds)
      ->group("Measurement");
}

std::string generator_names() {
  std::string text;
  for (const Generator& g : generators()) text += fmt::format("\n{}:{}", g.name, g.parameters);
  return text;
}

void declare_value(CLI::App& app, Options& o) {
  app.add_option("--value", o.value, "value type: " + names(value_types()))
      ->capture_default_str()
      ->group("Input");
}

void declare_source(CLI::App& app, Options& o) {
  app.add_option("--generate", o.generate, "make a matrix instead of reading one:" + generator_names())
      ->group("Input");
  declare_value(app, o);
}

void declare_input(CLI::App& app, Options& o) {
  app.add_option("matrix", o.matrix_file,
                 "file with a matrix: Matrix Market (.mtx, .mtx.gz, alone in a .tar.gz), .spmv, or PETSc binary")
      ->group("Input");
  declare_source(app, o);
}

void declare_device(CLI::App& app, Options& o) {
  app.add_option("--backend", o.backend, "device: auto (a GPU if there is one), " + names(backends()))
      ->capture_default_str()
      ->group("Product");
}

void declare_format(CLI::App& app, Options& o) {
  app.add_option("--format", o.format, "storage format: " + names(format_names()))
      ->capture_default_str()
      ->group("Product");
}

void declare_verify(CLI::App& app, Options& o) {
  app.add_flag("--verify,!--no-verify", o.verify,
               "compare every mode with a reference in higher precision (default: yes)")
      ->group("Measurement");
}

void declare_partition(CLI::App& app, Options& o) {
  app.add_option("--partition", o.partition, "partitioner: " + names(partitioners()))
      ->capture_default_str()
      ->group("Product");
  declare_seed(app, o);
}

void declare_seed(CLI::App& app, Options& o) {
  app.add_option("--seed", o.seed, "seed of the partitioner and the order")
      ->capture_default_str()
      ->group("Product");
}

void declare_products(CLI::App& app, Options& o) {
  declare_number(app, "--products", o.products,
                 "format, partition, order and transport auto: number of products to choose for", 1, 1e15)
      ->group("Format");
}

void declare_choice(CLI::App& app, Options& o) {
  declare_products(app, o);
  app.add_option("--hint", o.hint, "format auto: what the matrix is, tried first: " + names(hints()))
      ->group("Format");
  for (const OptionField& field : option_fields()) declare_field(app, o, field);
}

void declare_max_seconds(CLI::App& app, Options& o) {
  declare_number(app, "--max-seconds", o.max_seconds,
                 "measure a mode no longer than this, once the least number is reached", 0, longest_seconds)
      ->group("Measurement");
}

void declare_tune_cache(CLI::App& app, Options& o) {
  app.add_option("--tune-cache", o.tune_cache,
                 "format auto: file of remembered choices and of the calibration, or off")
      ->default_str(o.tune_cache)
      ->group("Format");
}

void declare_json(CLI::App& app, Options& o, const char* summary) {
  app.add_option("--json", o.json_file, summary)->group("Output");
}

void declare_run(CLI::App& app, Options& o) {
  declare_input(app, o);
  app.add_option(
         "--cache", o.cache,
         "folder: the first run of a file keeps a binary copy and its partition there, the next starts from them")
      ->group("Input");
  app.add_option("--read-x", o.read_x,
                 "file with x: a matrix of one column, Matrix Market or .spmv (default: made by a function)")
      ->group("Input");
  // The list is one word that is split here. An option that takes several words would take the name of the
  // matrix file behind it for one of them.
  app.add_option_function<std::string>(
         "--mode", [&o](const std::string& list) { o.modes = split_list(list); },
         "modes, comma-separated: " + names(mode_names()))
      ->default_str("all")
      ->group("Product");
  declare_format(app, o);
  app.add_option("--nonlocal-format", o.nonlocal_format,
                 "format of the nonlocal part of layout split (default: as --format)")
      ->group("Product");
  declare_partition(app, o);
  app.add_option("--order", o.order, "order of each rank's rows: " + names(order_names()))
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
  declare_tune_cache(app, o);

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
  declare_max_seconds(app, o);
  declare_verify(app, o);
  declare_timeout(app, o);

  app.add_flag("--verbose", o.verbose,
               "print the whole report, in wide lines: what was tried, the model, and the phases of products")
      ->group("Output");
  declare_json(app, o, "write everything that was measured, with the environment");
  app.add_option(
         "--write-y", o.write_y,
         "write y of the first mode, in the rows' order as read: .spmv, or else a Matrix Market array")
      ->group("Output");
  app.add_option("--csv", o.csv_file, "write one line per mode, with the environment")->group("Output");
  app.add_option("--trace", o.trace_file,
                 "write the timeline of one product of every mode and rank (Chrome trace, Perfetto)")
      ->group("Output");
}

}  // namespace spmv
