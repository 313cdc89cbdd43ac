#include "app/commands/multiply.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/run/pipeline.hpp"
#include "app/run/placed_matrix.hpp"
#include "app/say.hpp"
#include "comm/choose/choose_transport.hpp"

namespace spmv {
namespace {

/// The words between commas.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// Declares an option that takes words with commas between them. The list is one word of the command line, which is
/// split here: an option of several words would take the matrix file after it for one of them.
CLI::Option* declare_list(CLI::App& app, const char* name, std::vector<std::string>& words,
                          const std::string& summary) {
  return app
      .add_option_function<std::string>(
          name, [&words](const std::string& list) { words = split_list(list); }, summary)
      ->group("Product");
}

void declare_product(CLI::App& app, RunOptions& o) {
  declare_list(app, "--mode", o.modes, "modes, comma-separated: " + names(mode_names()))->default_str("all");
  declare_format(app, o.format);
  app.add_option("--nonlocal-format", o.nonlocal_format,
                 "format of the nonlocal part of layout split (default: as --format)")
      ->check(name_in(format_names(), "format"))
      ->group("Product");
  declare_partition(app, o);
  declare_order(app, o.order);
  declare_list(app, "--transport", o.transports,
               "transports of the halo, comma-separated: " + names(transport_names()) +
                   "; of several, those that cannot work are left out")
      ->default_str(auto_transport);
  app.add_option("--layout", o.layout,
                 "layout of a rank's rows in modes with several: " + names(layout_names()) +
                     "; a mode without the one named has its own")
      ->check(name_in(layout_names(), "layout"))
      ->capture_default_str()
      ->group("Product");
  declare_backend(app, o.backend);
  app.add_option("--columns", o.columns,
                 fmt::format("multiply so many vectors together, stored by rows; 1 to {}", most_columns))
      ->check(CLI::Range(1, most_columns))
      ->capture_default_str()
      ->group("Product");
  app.add_option("--vectors", o.vectors, "where x and y live between products: " + names(vector_places()))
      ->check(name_in(vector_places(), "place of the vectors"))
      ->capture_default_str()
      ->group("Product");
}

void declare_measurement(CLI::App& app, RunOptions& o) {
  app.add_option("--warmup", o.warmup, "products before measuring")
      ->check(whole_number_from(0))
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--min-repetitions", o.min_repetitions, "least number of measured products")
      ->check(whole_number_from(1))
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--max-repetitions", o.max_repetitions, "largest number of measured products")
      ->check(whole_number_from(1))
      ->capture_default_str()
      ->group("Measurement");
  declare_max_seconds(app, o.max_seconds);
  declare_verify(app, o.verify);
  declare_timeout(app, o.timeout);
}

/// Whether every product was right; `speaks`: the modes in which one was not are named, once each.
ExitCode verdict(const RunReport& report, bool speaks) {
  std::vector<std::string> wrong;
  for (const ModeResult& mode : report.modes)
    if (mode.rows_wrong > 0 && std::find(wrong.begin(), wrong.end(), mode.mode) == wrong.end())
      wrong.push_back(mode.mode);
  if (wrong.empty()) return ExitCode::ok;
  if (speaks)
    say(fmt::format("spmv_dist: mode{} {} gave a wrong result", wrong.size() > 1 ? "s" : "",
                    fmt::join(wrong, ", ")));
  return ExitCode::wrong_result;
}

/// The whole run. Returns wrong_result, after naming the modes on rank 0, if a product was wrong. Collective; throws
/// AgreedError.
ExitCode run_multiply(const Session& session, const MultiplyOptions& options) {
  session.results.print_in_full(options.verbose);
  const Place place = prepare_machine(session.communicator, options.backend, options.modes);
  const Run run{session, place, options};
  RunReport begun;
  begin_head(run, begun);
  begun.block_rows = options.format_options.block_rows;
  const RunReport report = run_pipeline(run, std::move(begun));
  session.write([&](Results& results) { results.write(report); });
  return session.end(verdict(report, session.first_rank()));
}

}  // namespace

void MultiplyOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_cache(app, cache);
  app.add_option("--read-x", read_x,
                 "file with x: a matrix of one column, Matrix Market or .spmv (default: made by a function)")
      ->group("Input");
  declare_product(app, *this);
  declare_choice(app, *this);
  declare_tune_cache(app, tune_cache);
  declare_measurement(app, *this);
  app.add_flag("--verbose", verbose,
               "print the whole report, in wide lines: what was tried, the model, and the phases of products")
      ->group("Output");
  declare_json(app, json_file, "write everything that was measured, with the environment");
  app.add_option(
         "--write-y", write_y,
         "write y of the first mode, in the rows' order as read: .spmv, or else a Matrix Market array")
      ->group("Output");
  app.add_option("--csv", csv_file, "write one line per mode, with the environment")->group("Output");
  app.add_option("--trace", trace_file,
                 "write the timeline of one product of every mode and rank (Chrome trace, Perfetto)")
      ->group("Output");
}

NamedFiles MultiplyOptions::files() const {
  return {{"the matrix", matrix_file, FileUse::read},
          {"--read-x", read_x, FileUse::read},
          {"--tune-cache", tune_cache, FileUse::cache},
          {"--write-y", write_y, FileUse::by_ranks},
          {"--json", json_file},
          {"--csv", csv_file},
          {"--trace", trace_file}};
}

std::unique_ptr<Command> declare_multiply(CLI::App& app) {
  return command<MultiplyOptions, run_multiply>(app);
}

}  // namespace spmv
