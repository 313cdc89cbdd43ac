// Parts of parts: METIS cuts the rank's own graph in two, each half in two, and so on, until a part's elements of x are
// a fraction of a cache. Parts that were one part for long have numbers close to each other; so whatever the size of a
// cache is, what fills it is of few parts.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "dist/order/find.hpp"
#include "dist/partition/metis_call.hpp"

namespace spmv {
namespace {

/// Of a part: 16 KiB of x in double, half of the smallest caches.
constexpr lidx part_rows = 2048;

/// Rows of each vertex, as METIS is to count them: one that is a part by itself weighs no more than a part. METIS would be
/// left with parts that it has no vertices for.
std::vector<idx_t> weights(const OwnGraph& graph) {
  if (graph.weight.empty()) return std::vector<idx_t>(static_cast<std::size_t>(graph.vertices()), 1);
  std::vector<idx_t> weight;
  weight.reserve(graph.weight.size());
  for (const lidx rows : graph.weight) weight.push_back(std::min(rows, part_rows));
  return weight;
}

std::vector<idx_t> part_graph(const OwnGraph& graph, std::vector<idx_t> weight, idx_t parts, int seed) {
  if (graph.first.back() > std::numeric_limits<idx_t>::max())
    throw Error(
        ExitCode::environment,
        fmt::format(
            "--order partition: a graph of {} edge ends on one rank does not fit METIS's {}-bit idx_t; "
            "use --order none, or more ranks",
            graph.first.back(), sizeof(idx_t) * 8));
  Graph<idx_t> whole{.first{graph.first.begin(), graph.first.end()},
                     .neighbour{graph.neighbour.begin(), graph.neighbour.end()},
                     .weight = std::move(weight),
                     .strength = {}};
  return call_metis(whole, {.way = MetisRequest::Way::recursive,
                            .parts = parts,
                            .seed = seed,
                            .imbalance = -1,
                            .who = "--order partition",
                            .instead = "use --order none"});
}

}  // namespace

std::vector<lidx> order_by_partition(const OwnGraph& graph, int seed) {
  std::vector<idx_t> weight = weights(graph);
  const idx_t rows = std::accumulate(weight.begin(), weight.end(), idx_t{0});
  const idx_t parts = (rows + part_rows - 1) / part_rows;
  if (parts < 2) return {};  // all of x is one part
  if (graph.neighbour.empty()) return vertices_as_they_are(graph);
  const std::vector<idx_t> part = part_graph(graph, std::move(weight), parts, seed);
  std::vector<lidx> order(part.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](lidx a, lidx b) {
    return part[static_cast<std::size_t>(a)] < part[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace spmv
