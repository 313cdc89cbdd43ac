#include "app/report/matrix_report.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/report/model.hpp"
#include "core/value_types.hpp"

namespace spmv {

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
double moved_bytes(const DistMatrix<T>& matrix) {
  const Operators<T>& operators = matrix.operators();
  double bytes = 0;
  for (const FormattedBlock<T>* block : operators.blocks()) {
    const bool is_boundary = block == &operators.boundary;
    const Traffic traffic =
        block->op->traffic(is_boundary ? operators.boundary_update : Update::assign, matrix.columns());
    bytes += traffic.matrix_bytes + traffic.vector_bytes;
  }
  return bytes;
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
  const std::vector<gidx> mine{f.nonzeros, f.stored_elements, f.ellpack_elements, static_cast<gidx>(f.bytes)};
  const std::vector<gidx> sums = communicator.sum(mine);
  return {sums[0], sums[1], sums[2], static_cast<double>(sums[3]), communicator.sum(moved_bytes(matrix))};
}

template <class T>
Model slowest_model(const Communicator& communicator, const DistributedRows<T>& rows, const HaloPlan& plan,
                    bool vectors_on_host, const Bandwidth& mine) {
  ModelInput input;
  input.rows = static_cast<double>(rows.block.rows);
  input.nonzeros = static_cast<double>(rows.block.nonzeros());
  input.cols = static_cast<double>(plan.owned);
  input.sent = static_cast<double>(plan.send_total());
  input.ghosts = static_cast<double>(plan.ghosts);
  input.value_bytes = sizeof(T);
  input.flops_per_nonzero = ValueTraits<T>::flops_per_nonzero;
  input.vectors_on_host = vectors_on_host;
  return slowest(communicator, model(input, mine));
}

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

SPMV_INSTANTIATE(partition_stats);
SPMV_INSTANTIATE(moved_bytes);
SPMV_INSTANTIATE(footprint_stats);
SPMV_INSTANTIATE(slowest_model);

}  // namespace spmv
