#include "app/commands/analyze.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/report/analysis_report.hpp"
#include "app/run/load.hpp"
#include "app/run/stage_timer.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<Outlook> find_outlooks(const Analysis& analysis, const FormatOptions& options, Backend& backend,
                                   const Device& device) {
  const auto free = static_cast<double>(backend.memory().free_bytes);
  std::vector<Outlook> outlooks;
  for (const Format<T>& format : formats<T>()) {
    Outlook outlook{format.name, cost_of(format.name, analysis, options), {}, why_unusable(format, backend)};
    outlook.predicted = predict(format.name, outlook.cost, options, analysis, device);
    if (outlook.refused.empty() && outlook.cost.bytes > free)
      outlook.refused = fmt::format("needs {:.4g} GiB, {:.4g} GiB are free", outlook.cost.bytes / (1 << 30),
                                    free / (1 << 30));
    outlooks.push_back(outlook);
  }
  return outlooks;
}

template <class T>
AnalysisReport analyze_as(const Session& session, const AnalyzeOptions& options, const Place& place,
                          const MatrixSource& source) {
  const Communicator& communicator = session.communicator;
  AnalysisReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.place = place.description;
  report.products = options.products;
  StageTimer timer(communicator);
  const Csr<T> block = [&] {
    const RowPartition rows = RowPartition::even(source.shape.rows, 1);
    RowBlock<T> loaded = load_with_progress<T>(session, source, rows);
    return communicator.together(
        [&] { return number_columns(std::move(loaded), 0, source.shape.cols).block; });
  }();
  report.load_s = timer.lap();
  report.nonzeros = block.nonzeros();
  session.watchdog.stage("analysing the matrix");
  report.analysis = analyze(block);
  report.analysis_s = timer.lap();
  report.flops = static_cast<double>(block.nonzeros()) * ValueTraits<T>::flops_per_nonzero;
  report.empty_rows = report.analysis.rows_of_length[0];

  session.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *place.backend;
  report.bandwidth = tuning_bandwidth(
      communicator, backend, measure_bandwidth(communicator, backend, working_set<T>(block.nonzeros())));
  report.outlooks = find_outlooks<T>(report.analysis, options.format_options, backend,
                                     device_of(backend, report.bandwidth));
  session.watchdog.stage("choosing a format");
  const bool square = block.rows == block.cols;
  TuneRequest request = tune_request(options, report.bandwidth);
  request.looks_always = true;  // to tell it
  report.decision = communicator.together([&] {
    return choose_format<T>({block, {}, {}, place.backend, square}, request, {}).decision;
  });
  return report;
}

/// Loads the matrix, analyses it, predicts every format on this rank's device, and lets format auto choose.
/// For one rank. Throws AgreedError.
ExitCode run_analyze(const Session& session, const AnalyzeOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  return conclude(session, with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
                    return analyze_as<typename decltype(tag)::Type>(session, options, place, source);
                  }));
}

}  // namespace

void AnalyzeOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_backend(app, backend);
  declare_choice(app, *this);
  declare_json(app, json_file, "write all of it");
}

std::unique_ptr<Command> declare_analyze(CLI::App& app) {
  return command<AnalyzeOptions, run_analyze>(app);
}

}  // namespace spmv
