// Every format's product on one device, for a list of matrices: time, bandwidth, memory, time to build.
//   format_compare --backend cuda stencil27:128,128,128 matrix.mtx.gz ... [--formats csr,pjds] [--csv FILE]
// Effective bytes (kernels/local_operator.hpp) are the same for every format. Formats take turns, in several
// rounds of one batch of products each; the median of the rounds is reported. First every format's y is
// compared with the reference.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench_main.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "core/value_types.hpp"
#include "format_measure.hpp"
#include "format_report.hpp"
#include "whole_matrix.hpp"

namespace {

using namespace spmv;

struct Settings {
  std::string backend = "cuda";
  std::vector<std::string> matrices;
  std::vector<std::string> formats;  // empty: all
  std::string value = "double";
  std::string csv_file;
  std::string analysis_file;
  Rounds rounds;
  FormatOptions options;
  double products = 0;  // for which auto chooses a format; 0: without auto
};

/// Prints the lines of each matrix at once, so that an interrupted run keeps its results.
class Output {
 public:
  explicit Output(const Settings& settings) : analysis_file_(settings.analysis_file) {
    if (settings.csv_file.empty()) return;
    csv_.open(settings.csv_file);
    csv_ << csv_header() << std::endl;
    if (!csv_) throw Error(ExitCode::usage, "--csv: cannot write " + settings.csv_file);
  }
  void add(const MatrixFacts& matrix, const std::vector<FormatResult>& results) {
    fmt::print("{}\n", table_header(matrix));
    for (const FormatResult& result : results) {
      fmt::print("{}\n", table_line(matrix, result));
      if (csv_.is_open()) csv_ << csv_line(matrix, result) << '\n';
    }
    std::fflush(stdout);
    if (csv_.is_open() && !csv_.flush()) throw Error(ExitCode::environment, "the CSV file cannot be written");
  }
  void add(nlohmann::json analysis) {
    if (analysis_file_.empty()) return;
    analyses_.push_back(std::move(analysis));
    std::ofstream file(analysis_file_);
    file << analyses_.dump(1) << std::endl;
    if (!file) throw Error(ExitCode::usage, "--analysis: cannot write " + analysis_file_);
  }

 private:
  std::ofstream csv_;
  std::string analysis_file_;
  nlohmann::json analyses_ = nlohmann::json::array();
};

template <class T>
std::vector<const Format<T>*> chosen_formats(const Settings& settings) {
  std::vector<const Format<T>*> chosen;
  for (const std::string& name : settings.formats) chosen.push_back(&pick(formats<T>(), name, "format"));
  for (const Format<T>& format : formats<T>())
    if (settings.formats.empty()) chosen.push_back(&format);
  return chosen;
}

std::string options_text(const FormatOptions& o) {
  return fmt::format("b_r={} C={} sigma={} T={} threads={} unroll={} b={}", o.block_rows, o.chunk_rows,
                     o.sigma, o.threads_per_row, o.threads_per_block, o.unroll, o.entry_block);
}

/// Returns whether all results were correct.
template <class T>
bool compare_matrix(const Settings& settings, Stopwatch& watch, double copy_rate, const std::string& name,
                    Output& output) {
  auto start = std::chrono::steady_clock::now();
  RowBlock<T> whole = load_whole<T>(name);
  const double load_s = seconds_since(start);
  start = std::chrono::steady_clock::now();
  const Reference<T> reference = reference_product(whole, 0);
  const double reference_s = seconds_since(start);
  const Csr<T> block = as_one_block(std::move(whole), whole_columns(name), name);
  start = std::chrono::steady_clock::now();
  const Analysis analysis = analyze(block);
  const double analysis_s = seconds_since(start);
  fmt::print(stderr, "{}: loaded in {:.2f} s, reference {:.2f} s, analysis {:.2f} s\n", name, load_s,
             reference_s, analysis_s);

  MatrixFacts facts;
  facts.name = name;
  facts.rows = block.rows;
  facts.cols = block.cols;
  facts.nonzeros = block.nonzeros();
  facts.value = value_name<T>();
  facts.backend = watch.backend()->name();
  facts.device = watch.backend()->describe();
  facts.copy_rate = copy_rate;
  facts.options = options_text(settings.options);
  facts.bytes = effective_bytes(block.rows, block.cols, static_cast<double>(facts.nonzeros), sizeof(T));
  facts.flops = static_cast<double>(facts.nonzeros) * ValueTraits<T>::flops_per_nonzero;
  output.add(analysis_json(facts, analysis, analysis_s));
  Comparison<T> comparison(settings.rounds, settings.options, watch, block, reference, analysis);
  if (settings.products > 0) {
    TuneRequest request;
    request.products = settings.products;
    request.bandwidth = copy_rate;
    comparison.add_auto(request);
  }
  const auto results = comparison.run(chosen_formats<T>(settings));
  output.add(facts, results);
  return std::none_of(results.begin(), results.end(),
                      [](const FormatResult& result) { return result.status == Status::wrong; });
}

/// A matrix that cannot be loaded is reported and skipped; the first such failure decides the exit code.
template <class T>
ExitCode run(const Settings& settings) {
  chosen_formats<T>(settings);  // refuses unknown names before anything is measured
  Stopwatch watch(settings.backend);
  Output output(settings);
  const double copy_rate = watch.copy_rate(settings.rounds);
  fmt::print("{}; {}\n", watch.backend()->describe(), options_text(settings.options));
  ExitCode code = ExitCode::ok;
  for (const std::string& name : settings.matrices) {
    ExitCode found = ExitCode::ok;
    try {
      if (!compare_matrix<T>(settings, watch, copy_rate, name, output)) found = ExitCode::wrong_result;
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      fmt::print(stderr, "format_compare: {}\n", error.what());
      found = error.code();
    }
    if (code == ExitCode::ok || found == ExitCode::wrong_result) code = found != ExitCode::ok ? found : code;
  }
  return code;
}

struct ValueRow {
  const char* name;
  ExitCode (*run)(const Settings&);
};

std::vector<ValueRow> value_types() {
  std::vector<ValueRow> table;
  for_each_value_type([&table](auto tag) {
    using T = typename decltype(tag)::Type;
    table.push_back({value_name<T>(), run<T>});
  });
  return table;
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("matrices", s.matrices, "Matrix Market files (.mtx, .mtx.gz) and generators' specifications")
      ->required();
  app.add_option("--backend", s.backend, "device: host, cuda, debug")->capture_default_str();
  // One word, split here: an option of several words would take the matrices after it, too.
  app.add_option_function<std::string>(
      "--formats",
      [&s](const std::string& list) {
        std::istringstream in(list);
        for (std::string name; std::getline(in, name, ',');) s.formats.push_back(name);
      },
      "comma-separated (default: all)");
  app.add_option("--value", s.value, "float, double, complex_float, complex_double")->capture_default_str();
  app.add_option("--auto", s.products, "also measure auto's choice for this many products; 0: do not")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--csv", s.csv_file, "one line for every matrix and format");
  app.add_option("--analysis", s.analysis_file, "JSON: row lengths and other facts about every matrix");
  declare_rounds(app, s.rounds);
  for (const OptionField& field : option_fields()) {
    const auto set = [&s, &field](int value) { field.set(s.options, value); };
    if (field.is_switch)
      app.add_flag_callback(
          field.flag, [set] { set(1); }, field.summary);
    else
      app.add_option_function<int>(field.flag, set, field.summary)
          ->default_str(std::to_string(field.get({})));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Every format's product on one device", "format_compare");
  declare(app, settings);
  return bench_main(app, argc, argv,
                    [&] { return pick(value_types(), settings.value, "value type").run(settings); });
}
