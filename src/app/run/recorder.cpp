#include "app/run/recorder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/matrix_report.hpp"
#include "core/this_machine.hpp"
#include "core/value_types.hpp"

namespace spmv {

Recorder::Recorder(const Run& run, const Bandwidth& mine, RunReport& report)
    : run_(run), mine_(mine), report_(report) {
  report_.bandwidth = {run_.communicator.sum(mine.copy), run_.communicator.sum(mine.to_device),
                       run_.communicator.sum(mine.to_host), run_.communicator.max(mine.spread)};
  report_.cache_bytes = cache_bytes(*run_.place.backend, run_.communicator.node().size());
}

template <class T>
void Recorder::built(const DistMatrix<T>& matrix, double seconds) {
  const Communicator& communicator = run_.communicator;
  TuningStats& tuning = report_.tuning;
  const Operators<T>& operators = matrix.operators();
  report_.build_s += seconds;
  tuning.seconds += communicator.max(operators.blocks().front()->decision.spent_s);
  if (operators.has_interior() && tuning.boundary_decision.format.empty()) {
    report_.boundary_format = over_ranks(communicator, operators.boundary.decision.format);
    tuning.boundary_decision = operators.boundary.decision;
  }
}

template <class T>
void Recorder::describe(const Problem<T>& problem, const DistMatrix<T>& matrix) {
  const Communicator& communicator = run_.communicator;
  TuningStats& tuning = report_.tuning;
  if (!described_) {
    described_ = true;
    tuning.decision = matrix.operators().blocks().front()->decision;
    report_.format = over_ranks(communicator, tuning.decision.format);
    report_.partition = partition_stats(communicator, problem.rows, matrix.plan());
    report_.footprint = footprint_stats(communicator, matrix);
    report_.columns_together = matrix.columns() == 1 || communicator.all_of(matrix.takes_columns());
    report_.model = slowest_model(communicator, problem.rows, matrix.plan(), run_.vectors_on_host(), mine_);
  }
  if (tuning.decision.measured_s > 0) tuning.cost_in_products = tuning.seconds / tuning.decision.measured_s;
}

void Recorder::set_up(const Measurement& measurement, const TransportChoice& choice, double seconds) {
  report_.build_s += seconds;
  (measurement.needs_queued_exchange ? report_.queued_exchange_choice : report_.transport_choice) = choice;
  const std::vector<std::string>& named = run_.options.transports;
  if (report_.transport.empty())
    report_.transport = named.size() == 1 ? choice.name : fmt::format("{}", fmt::join(named, ","));
}

void Recorder::measured_together(const std::vector<std::string>& layouts) {
  report_.turns.push_back(layouts);
}

void Recorder::measured(const Measurement& measurement, const ModeResult& result) {
  if (report_.first_product_s == 0) report_.first_product_s = run_.communicator.max(result.first_right_s);
  report_.peak_host_bytes = run_.communicator.max(peak_resident_bytes());
  report_.stages = run_.watchdog.stages();
  std::vector<ModeResult>& of_row = results_[measurement.row];
  const auto known = std::find_if(of_row.begin(), of_row.end(),
                                  [&](const ModeResult& each) { return each.layout == result.layout; });
  if (known == of_row.end())
    of_row.push_back(result);
  else
    *known = result;
  report_.modes.clear();
  for (const auto& [row, layouts] : results_) {
    ModeResult best = layouts.front();
    for (std::size_t i = 1; i < layouts.size(); ++i) best = faster_layout(std::move(best), layouts[i]);
    report_.modes.push_back(std::move(best));
  }
  run_.results.keep(report_);
}

ModeResult faster_layout(ModeResult earlier, ModeResult later) {
  const bool wrong[2] = {earlier.rows_wrong > 0, later.rows_wrong > 0};
  const bool keep = wrong[0] != wrong[1] ? wrong[0] : earlier.median_s <= later.median_s;
  ModeResult& kept = keep ? earlier : later;
  const ModeResult& other = keep ? later : earlier;
  std::vector<OtherLayout> others = std::move(earlier.other_layouts);
  others.push_back({other.layout, other.median_s, other.rows_wrong, other.median_low_s, other.median_high_s});
  kept.other_layouts = std::move(others);
  return std::move(kept);
}

template void Recorder::built(const DistMatrix<ValueType<0>>&, double);
template void Recorder::built(const DistMatrix<ValueType<1>>&, double);
template void Recorder::built(const DistMatrix<ValueType<2>>&, double);
template void Recorder::built(const DistMatrix<ValueType<3>>&, double);
template void Recorder::describe(const Problem<ValueType<0>>&, const DistMatrix<ValueType<0>>&);
template void Recorder::describe(const Problem<ValueType<1>>&, const DistMatrix<ValueType<1>>&);
template void Recorder::describe(const Problem<ValueType<2>>&, const DistMatrix<ValueType<2>>&);
template void Recorder::describe(const Problem<ValueType<3>>&, const DistMatrix<ValueType<3>>&);

}  // namespace spmv
