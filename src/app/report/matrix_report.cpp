#include "app/report/matrix_report.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/report/model.hpp"
#include "core/value_type.hpp"

namespace spmv {
namespace {

template <class T>
PartitionStats partition_stats(const Communicator& communicator, const DistributedRows<T>& rows,
                               const HaloPlan& plan) {
  PartitionStats stats;
  const gidx cut = std::count_if(rows.block.col.begin(), rows.block.col.end(),
                                 [owned = rows.owned()](lidx col) { return col >= owned; });
  const gidx mine = rows.block.nonzeros();
  const auto neighbours = static_cast<gidx>(plan.neighbours.size());
  const auto sums = communicator.sum(std::vector<gidx>{mine, cut, plan.ghosts, neighbours});
  stats.nonzeros = sums[0];
  stats.edge_cut = sums[1];
  stats.halo_total = sums[2];
  stats.average_neighbours = static_cast<double>(sums[3]) / communicator.size();
  stats.largest_nonzeros = communicator.max(mine);
  stats.halo_largest = communicator.max(gidx{plan.ghosts});
  stats.most_neighbours = communicator.max(neighbours);
  if (stats.nonzeros > 0)
    stats.nonzero_balance = static_cast<double>(stats.largest_nonzeros) * communicator.size() /
                            static_cast<double>(stats.nonzeros);
  return stats;
}

template <class T>
FootprintStats footprint_stats(const Communicator& communicator, const DistMatrix<T>& matrix) {
  Footprint f;
  for (const FormattedBlock<T>* block : matrix.operators().blocks()) {
    const Footprint one = block->op->footprint();
    f.nonzeros += one.nonzeros;
    f.stored_elements += one.stored_elements;
    f.ellpack_elements += one.ellpack_elements;
    f.bytes += one.bytes;
  }
  const auto sums =
      communicator.sum({f.nonzeros, f.stored_elements, f.ellpack_elements, static_cast<gidx>(f.bytes)});
  return {sums[0], sums[1], sums[2], static_cast<double>(sums[3])};
}

template <class T>
Model find_model(const Communicator& communicator, const DistributedRows<T>& rows, const HaloPlan& plan,
                 const Options& options, const Bandwidth& mine) {
  ModelInput input;
  input.rows = static_cast<double>(rows.block.rows);
  input.nonzeros = static_cast<double>(rows.block.nonzeros());
  input.cols = static_cast<double>(plan.owned);
  input.sent = static_cast<double>(plan.send_total());
  input.ghosts = static_cast<double>(plan.ghosts);
  input.value_bytes = sizeof(T);
  input.flops_per_nonzero = ValueTraits<T>::flops_per_nonzero;
  input.vectors_on_host = options.vectors == "host";
  return slowest(communicator, model(input, mine));
}

/// "csr" where all ranks have it, otherwise how many have which, the most common first. On rank 0.
std::string over_ranks(const Communicator& communicator, const std::string& mine) {
  std::map<std::string, int> ranks_with;
  for (const std::string& format : communicator.gather(mine)) ++ranks_with[format];
  std::vector<std::pair<std::string, int>> counts(ranks_with.begin(), ranks_with.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (counts.size() <= 1) return mine;
  std::string text;
  for (const auto& [format, ranks] : counts)
    text += text.empty() ? fmt::format("{} ({} of {} ranks)", format, ranks, communicator.size())
                         : fmt::format(", {} ({})", format, ranks);
  return text;
}

/// Adds what one layout's formats were and what they cost to find; the `first` one's are the run's.
/// Collective.
template <class T>
void report_formats(const Communicator& communicator, const DistMatrix<T>& matrix, bool first,
                    RunReport& report) {
  TuningStats& tuning = report.tuning;
  const Operators<T>& operators = matrix.operators();
  const Decision& mine = operators.blocks().front()->decision;
  tuning.seconds += communicator.max(mine.spent_s);
  if (first) {
    report.format = over_ranks(communicator, mine.format);
    tuning.decision = mine;
  }
  if (operators.has_interior() && tuning.boundary_decision.format.empty()) {
    report.nonlocal_format = over_ranks(communicator, operators.boundary.decision.format);
    tuning.boundary_decision = operators.boundary.decision;
  }
  if (tuning.decision.measured_s > 0) tuning.cost_in_products = tuning.seconds / tuning.decision.measured_s;
}

}  // namespace

template <class T>
void report_matrix(const Communicator& communicator, const Options& options, const DistributedRows<T>& rows,
                   const DistMatrix<T>& matrix, const Bandwidth& my_bandwidth, bool first,
                   RunReport& report) {
  report_formats(communicator, matrix, first, report);
  if (!first) return;
  report.partition = partition_stats(communicator, rows, matrix.plan());
  report.footprint = footprint_stats(communicator, matrix);
  report.model = find_model(communicator, rows, matrix.plan(), options, my_bandwidth);
}

template void report_matrix(const Communicator&, const Options&, const DistributedRows<float>&,
                            const DistMatrix<float>&, const Bandwidth&, bool, RunReport&);
template void report_matrix(const Communicator&, const Options&, const DistributedRows<double>&,
                            const DistMatrix<double>&, const Bandwidth&, bool, RunReport&);
template void report_matrix(const Communicator&, const Options&, const DistributedRows<std::complex<float>>&,
                            const DistMatrix<std::complex<float>>&, const Bandwidth&, bool, RunReport&);
template void report_matrix(const Communicator&, const Options&, const DistributedRows<std::complex<double>>&,
                            const DistMatrix<std::complex<double>>&, const Bandwidth&, bool, RunReport&);

}  // namespace spmv
