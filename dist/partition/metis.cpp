// METIS is serial: the pattern, never the values, is brought together on rank 0.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "dist/partition/assign.hpp"
#include "dist/partition/local_graph.hpp"
#include "dist/partition/metis_call.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

constexpr gidx idx_limit = std::numeric_limits<idx_t>::max();

[[noreturn]] void refuse_width(gidx vertices, gidx edges) {
  throw AgreedError(
      ExitCode::environment,
      fmt::format("--partition metis: a graph of {} vertices and {} edge ends does not fit METIS's {}-bit "
                  "idx_t; use --partition nonzeros, or build against a METIS with IDXTYPEWIDTH 64",
                  vertices, edges, sizeof(idx_t) * 8));
}

/// `values`, narrowed, of all ranks one after the other on rank 0. Widths are checked by the caller. Collective.
std::vector<idx_t> on_root(const Communicator& communicator, const std::vector<gidx>& values) {
  return communicator.gather(std::vector<idx_t>(values.begin(), values.end())).data;
}

/// Weights whose sum over all ranks METIS can hold with room to spare: smaller ones in proportion where it could
/// not. Collective.
std::vector<gidx> weights_that_fit(const Communicator& communicator, std::vector<gidx> weights) {
  constexpr gidx most = idx_limit / 4;
  const gidx sum = communicator.sum(std::accumulate(weights.begin(), weights.end(), gidx{0}));
  const gidx divisor = (sum + most - 1) / most;
  if (divisor > 1)
    for (gidx& weight : weights) weight = std::max<gidx>(1, weight / divisor);
  return weights;
}

/// All vertices and edges, on rank 0; empty elsewhere. Collective.
Graph<idx_t> bring_to_root(const Communicator& communicator, const LocalGraph& local) {
  std::vector<gidx> degree(local.weight.size());
  for (std::size_t v = 0; v < degree.size(); ++v) degree[v] = local.first[v + 1] - local.first[v];
  Graph<idx_t> graph;
  for (const idx_t d : on_root(communicator, degree)) graph.first.push_back(graph.first.back() + d);
  graph.weight = on_root(communicator, weights_that_fit(communicator, local.weight));
  graph.neighbour = on_root(communicator, local.neighbour);
  graph.strength = on_root(communicator, weights_that_fit(communicator, local.strength));
  return graph;
}

std::vector<idx_t> part_graph(Graph<idx_t>& graph, int parts, int seed) {
  // A product takes as long as its largest part. METIS's own 30 allows 3 % and leaves up to that much; with
  // 2, parts of grids and networks came out within 0.1 %, cut no worse.
  return call_metis(graph, {.way = MetisRequest::Way::kway,
                            .parts = parts,
                            .seed = seed,
                            .imbalance = 2,
                            .who = "--partition metis, on rank 0",
                            .instead = "use --partition nonzeros"});
}

/// The part of each of this rank's vertices: METIS's k-way partition, made on rank 0. Collective;
/// throws AgreedError where the graph is too wide for METIS or rank 0 has no memory for it.
std::vector<int> part_by_metis(const Communicator& communicator, const LocalGraph& local,
                               const PartitionRequest& request) {
  const int me = communicator.rank();
  const int parts = parts_of(communicator, request);
  if (parts == 1) return std::vector<int>(local.weight.size(), 0);
  const gidx edge_ends = communicator.sum(static_cast<gidx>(local.neighbour.size()));
  if (std::max(local.owners.total(), edge_ends) > idx_limit) refuse_width(local.owners.total(), edge_ends);
  Graph<idx_t> graph = bring_to_root(communicator, local);
  const auto all = communicator.together(
      [&] { return me == 0 ? part_graph(graph, parts, request.seed) : std::vector<idx_t>{}; });
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  if (me == 0)
    for (int r = 0; r < communicator.size(); ++r) counts[static_cast<std::size_t>(r)] = local.owners.count(r);
  const auto mine = communicator.all_to_all(all, counts).data;
  return {mine.begin(), mine.end()};
}

}  // namespace

Assignment assign_by_metis(const Communicator& communicator, const Pattern& pattern,
                           const PartitionRequest& request) {
  const gidx nonzeros = communicator.sum(pattern.row_ptr.back());
  const gidx vertices = pattern.rows.total() + (pattern.square() ? 0 : pattern.cols.total());
  if (vertices + nonzeros > idx_limit) refuse_width(vertices, nonzeros);  // before the graph takes its memory
  const std::vector<int> part = part_by_metis(communicator, graph_of_rows(communicator, pattern), request);
  const auto rows = static_cast<offset>(pattern.rows.count(communicator.rank()));
  Assignment assignment;
  assignment.rows.assign(part.begin(), part.begin() + rows);
  assignment.cols.assign(part.begin() + rows, part.end());
  return assignment;
}

// Where neighbouring rows refer to neighbouring columns, as those of a grid do, groups cost little of the cut, and give two
// things: METIS has a graph of a thirty-second of the vertices and even fewer edges; and rows that stay together keep the
// short column distances and the diagonals that packed formats store in few bytes.
Assignment assign_by_metis_groups(const Communicator& communicator, const Pattern& pattern,
                                  const PartitionRequest& request) {
  if (!pattern.square()) return assign_by_metis(communicator, pattern, request);
  const int me = communicator.rank();
  // As many as a format stores side by side, and a few more where rows come in units.
  const RowGroups groups = group_rows(communicator, pattern, slice_rows);
  const std::vector<int> part =
      part_by_metis(communicator, graph_of_groups(communicator, pattern, groups), request);
  Assignment assignment;
  const gidx first_row = pattern.rows.first(me), first_group = groups.groups().first(me);
  for (gidx i = 0; i < pattern.rows.count(me); ++i)
    assignment.rows.push_back(part[static_cast<std::size_t>(groups.of(first_row + i, me) - first_group)]);
  return assignment;
}

}  // namespace spmv
