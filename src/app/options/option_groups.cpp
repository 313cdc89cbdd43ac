#include "app/options/option_groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/options/option_names.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/pick.hpp"
#include "dist/machine/product_time.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "dist/partitioner.hpp"
#include "io/generate/generator.hpp"

namespace spmv {
namespace {

constexpr double longest_seconds = 1e9;
constexpr int most_ranks = 1 << 20;

/// Declares the option that fixes a field of FormatOptions.
void declare_field(CLI::App& app, ChoiceOptions& o, const OptionField& field) {
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
                                    : CLI::IsMember(field.allowed).description(""))
      ->default_str(std::to_string(field.get({})))
      ->group("Format");
}

}  // namespace

void declare_value(CLI::App& app, MatrixOptions& o) {
  app.add_option("--value", o.value, "value type: " + names(value_types()))
      ->check(name_in(value_types(), "value type"))
      ->capture_default_str()
      ->group("Input");
}

void declare_source(CLI::App& app, MatrixOptions& o) {
  app.add_option("--generate", o.generate, "make a matrix instead of reading one:" + generator_names())
      ->check(a_generator())
      ->group("Input");
  declare_value(app, o);
}

void declare_matrix(CLI::App& app, MatrixOptions& o) {
  app.add_option(
         "matrix", o.matrix_file,
         "file with a matrix: Matrix Market (.mtx, .mtx.gz, alone in a .tar.gz), .spmv, or PETSc binary")
      ->group("Input");
  declare_source(app, o);
}

void check_matrix(const MatrixOptions& o) {
  if (o.matrix_file.empty() == o.generate.empty())
    throw Error(ExitCode::usage, "give either a file with a matrix or --generate; see spmv_dist --help");
}

void declare_partition(CLI::App& app, PartitionOptions& o) {
  app.add_option("--partition", o.partition, "partitioner: " + names(partitioners()))
      ->check(name_in(partitioners(), "partitioner"))
      ->capture_default_str()
      ->group("Product");
  declare_seed(app, o.seed);
}

void declare_seed(CLI::App& app, int& seed) {
  app.add_option("--seed", seed, "seed of the partitioner and the order")
      ->capture_default_str()
      ->group("Product");
}

void declare_cache(CLI::App& app, std::string& folder) {
  app.add_option(
         "--cache", folder,
         "folder: the first run of a file keeps a binary copy and its partition there, the next starts from them")
      ->group("Input");
}

void declare_order(CLI::App& app, std::string& order) {
  app.add_option("--order", order, "order of each rank's rows: " + names(order_names()))
      ->check(name_in(order_names(), "order"))
      ->capture_default_str()
      ->group("Product");
}

void declare_choice(CLI::App& app, ChoiceOptions& o) {
  declare_products(app, o.products);
  app.add_option("--hint", o.hint, "format auto: what the matrix is, tried first: " + names(hints()))
      ->check(name_in(hints(), "hint"))
      ->group("Format");
  for (const OptionField& field : option_fields()) declare_field(app, o, field);
}

void declare_products(CLI::App& app, double& products) {
  declare_number(app, "--products", products,
                 "format, partition, order and transport auto: number of products to choose for", 1, 1e15)
      ->group("Format");
}

TuneRequest tune_request(const ChoiceOptions& options, double bandwidth) {
  TuneRequest request;
  request.products = options.products;
  request.hint = options.hint;
  request.options = options.format_options;
  request.fixed = options.fixed_options;
  request.bandwidth = bandwidth;
  return request;
}

void declare_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "storage format: " + names(format_names()))
      ->check(name_in(format_names(), "format"))
      ->capture_default_str()
      ->group("Product");
}

void declare_backend(CLI::App& app, std::string& backend) {
  app.add_option("--backend", backend, "device: auto (a GPU if there is one), " + names(backends()))
      ->check(name_in(backend_names(), "backend"))
      ->capture_default_str()
      ->group("Product");
}

void declare_rank_counts(CLI::App& app, std::vector<int>& rank_counts) {
  declare_counts(app, "--ranks", rank_counts, "numbers of ranks, comma-separated")->default_str("1");
}

CLI::Option* declare_counts(CLI::App& app, const char* name, std::vector<int>& counts, const char* summary) {
  return app.add_option(name, counts, summary)
      ->delimiter(',')
      ->check(CLI::Range(1, most_ranks))
      ->allow_extra_args(false)
      ->group("Product");
}

void declare_tune_cache(CLI::App& app, std::string& file) {
  file = default_tuning_cache();
  app.add_option_function<std::string>(
         "--tune-cache", [&file](const std::string& name) { file = name == "off" ? "" : name; },
         "format auto: file of remembered choices and of the calibration, or off")
      ->default_str(file)
      ->group("Format");
}

void declare_machine(CLI::App& app, std::string& machine) {
  std::string known;
  for (const Machine& each : machines()) known += fmt::format("\n{}: {}", each.name, each.description);
  app.add_option("--machine", machine, "a JSON file that describes the machine, or one of" + known)
      ->capture_default_str()
      ->group("Plan");
}

void declare_verify(CLI::App& app, bool& verify) {
  app.add_flag("--verify,!--no-verify", verify,
               "compare every mode with a reference in higher precision (default: yes)")
      ->group("Measurement");
}

void declare_max_seconds(CLI::App& app, double& seconds) {
  declare_number(app, "--max-seconds", seconds,
                 "measure a mode no longer than this, once the least number is reached", 0, longest_seconds)
      ->group("Measurement");
}

void declare_timeout(CLI::App& app, double& seconds) {
  declare_number(app, "--timeout", seconds,
                 "end the run, exit code 7, when a step makes no progress for so many seconds; 0: never", 0,
                 longest_seconds)
      ->group("Measurement");
}

void declare_json(CLI::App& app, std::string& file, const char* summary) {
  app.add_option("--json", file, summary)->group("Output");
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

CLI::Validator whole_number_from(int least) {
  const auto refuse = [least](const std::string& word) {
    const auto given = number_in<int>(word);
    return given && *given >= least ? std::string()
                                    : fmt::format("'{}' is no whole number of {} or more", word, least);
  };
  return {refuse, fmt::format("{} or more", least)};
}

CLI::Validator a_generator() {
  return accepted_by([](const std::string& specification) { make_generator(specification); });
}

bool names_a_generator(const std::string& word) {
  const std::vector<Generator>& all = generators();
  return std::any_of(all.begin(), all.end(),
                     [&](const Generator& g) { return word.rfind(std::string(g.name) + ":", 0) == 0; });
}

std::string generator_names() {
  std::string text;
  for (const Generator& g : generators()) text += fmt::format("\n{}:{}", g.name, g.parameters);
  return text;
}

}  // namespace spmv
