// Options that several commands have. A command's options are made of these groups and of its own fields.
//
// declare_...() declares options for CLI11, which checks the words and fills the field or group when `app` parses: it must
// stay where it is until then. All of them are local.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/outputs.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

inline constexpr double default_timeout = 600;
inline constexpr double default_products = 1000;
inline constexpr const char* default_machine = "h200-nvlink";

/// Which matrix: a file or what a generator makes, exactly one of the two.
struct MatrixOptions {
  std::string matrix_file;
  std::string generate;
  std::string value = "auto";
};
/// Everything but the file.
void declare_source(CLI::App& app, MatrixOptions& options);
void declare_matrix(CLI::App& app, MatrixOptions& options);
void declare_value(CLI::App& app, MatrixOptions& options);
/// Throws Error(usage) unless there is exactly one matrix.
void check_matrix(const MatrixOptions& options);

/// Of a command that reports on a matrix.
struct ReportOptions : MatrixOptions {
  std::string json_file;
  double timeout = default_timeout;

  NamedFiles files() const { return {{"the matrix", matrix_file, FileUse::read}, {"--json", json_file}}; }
};

struct PartitionOptions {
  std::string partition = "auto";
  int seed = 1;
};
void declare_partition(CLI::App& app, PartitionOptions& options);
void declare_order(CLI::App& app, std::string& order);
void declare_cache(CLI::App& app, std::string& folder);
void declare_seed(CLI::App& app, int& seed);

/// What format auto chooses for, and what it leaves as it is.
struct ChoiceOptions {
  double products = default_products;
  std::string hint;              // empty: none
  FormatOptions format_options;  // for every format
  OptionNames fixed_options;     // fields of format_options that were given
};
void declare_choice(CLI::App& app, ChoiceOptions& options);
void declare_products(CLI::App& app, double& products);
/// `bandwidth` is the device's. Pure.
TuneRequest tune_request(const ChoiceOptions& options, double bandwidth);

void declare_format(CLI::App& app, std::string& format);

void declare_backend(CLI::App& app, std::string& backend);

void declare_rank_counts(CLI::App& app, std::vector<int>& rank_counts);
/// Numbers of ranks after --ranks or --parts.
CLI::Option* declare_counts(CLI::App& app, const char* name, std::vector<int>& counts, const char* summary);

/// The file that format auto remembers in: the user's default file unless one is named; empty for "off".
void declare_tune_cache(CLI::App& app, std::string& file);

void declare_machine(CLI::App& app, std::string& machine);
void declare_verify(CLI::App& app, bool& verify);
void declare_max_seconds(CLI::App& app, double& seconds);
void declare_timeout(CLI::App& app, double& seconds);
void declare_json(CLI::App& app, std::string& file, const char* summary);

/// An option for a finite number from `least` to `most`. CLI11's own conversion depends on the locale.
CLI::Option* declare_number(CLI::App& app, const char* name, double& number, const char* summary,
                            double least, double most);

/// For an option whose words look_up(word) accepts, or else throws Error with the reason.
template <class LookUp>
CLI::Validator accepted_by(const LookUp& look_up) {
  const auto refusal = [look_up](const std::string& word) {
    try {
      look_up(word);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  return CLI::Validator(refusal, "");
}
/// For an option that takes the name of a row of a table, which must outlive it.
template <class Row>
CLI::Validator name_in(const std::vector<Row>& table, const char* what) {
  return accepted_by([&table, what](const std::string& name) { pick(table, name, what); });
}
/// For an option that takes a whole number.
CLI::Validator whole_number_from(int least);
/// For an option that takes the specification of a generator.
CLI::Validator a_generator();

/// Whether a word begins as the specification of a generator does. Pure.
bool names_a_generator(const std::string& word);

/// The names of all generators with their parameters, each on a line of its own. Pure.
std::string generator_names();

}  // namespace spmv
