#include "app/run/analyze.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

class Timer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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
AnalysisReport analyze_as(const Run& run, const MatrixSource& source) {
  const Communicator& communicator = run.communicator;
  const Options& options = run.options;
  AnalysisReport report;
  report.matrix = source.name;
  report.description = source.description;
  report.value = value_name<T>();
  report.place = run.place.description;
  report.products = options.products;
  Timer timer;
  const Csr<T> block = [&] {
    const RowPartition rows = RowPartition::even(source.shape.rows, 1);
    RowBlock<T> loaded = load_with_progress<T>(run, source, rows);
    return communicator.together(
        [&] { return number_columns(std::move(loaded), 0, source.shape.cols).block; });
  }();
  report.load_s = timer.lap();
  run.watchdog.stage("analysing the matrix");
  report.analysis = analyze(block);
  report.analysis_s = timer.lap();
  report.flops = static_cast<double>(block.nonzeros()) * ValueTraits<T>::flops_per_nonzero;
  report.empty_rows = report.analysis.rows_of_length[0];

  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *run.place.backend;
  report.bandwidth = tuning_bandwidth(
      communicator, backend, measure_bandwidth(communicator, backend, working_set<T>(block.nonzeros())));
  report.outlooks = find_outlooks<T>(report.analysis, options.format_options, backend,
                                     device_of(backend, report.bandwidth));
  run.watchdog.stage("choosing a format");
  const bool square = block.rows == block.cols;
  TuneRequest request = tune_request(options, report.bandwidth);
  request.looks_always = true;  // to tell it
  report.decision = communicator.together([&] {
    return choose_format<T>({block, {}, {}, run.place.backend, square}, request, {}).decision;
  });
  return report;
}

}  // namespace

AnalysisReport analyze_matrix(const Run& run) {
  const MatrixSource source = find_source(run);
  return with_value_type(value_type(run.options, source),
                         [&](auto tag) { return analyze_as<typename decltype(tag)::Type>(run, source); });
}

}  // namespace spmv
