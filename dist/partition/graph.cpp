#include "dist/partition/graph.hpp"

#include <algorithm>
#include <utility>

namespace spmv {
namespace {

/// One undirected edge, seen from `from`.
struct Edge {
  gidx from;
  gidx to;
};

/// Calls visit(row's vertex, global column) for every nonzero of this rank's rows that joins two vertices.
template <class Visit>
void for_each_edge(const Pattern& pattern, const GraphVertices& vertices, int me, const Visit& visit) {
  for (gidx i = 0; i < pattern.rows.count(me); ++i) {
    const gidx row = vertices.of_row(pattern.rows.first(me) + i);
    const auto at = static_cast<std::size_t>(i);
    for (offset k = pattern.row_ptr[at]; k < pattern.row_ptr[at + 1]; ++k) {
      const gidx col = pattern.col[static_cast<std::size_t>(k)];
      if (vertices.of_col(col) != row) visit(row, col);
    }
  }
}

/// Every edge of all ranks' rows, as the owner of its column sees it. Collective.
std::vector<Edge> seen_from_columns(const Communicator& communicator, const Pattern& pattern,
                                    const GraphVertices& vertices) {
  const int me = communicator.rank();
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  for_each_edge(pattern, vertices, me,
                [&](gidx, gidx col) { ++counts[static_cast<std::size_t>(vertices.owner_of_col(col))]; });
  std::vector<offset> place(counts.size(), 0);
  for (std::size_t r = 1; r < place.size(); ++r) place[r] = place[r - 1] + counts[r - 1];
  std::vector<Edge> mirrored(static_cast<std::size_t>(place.back() + counts.back()));
  for_each_edge(pattern, vertices, me, [&](gidx row, gidx col) {
    offset& next = place[static_cast<std::size_t>(vertices.owner_of_col(col))];
    mirrored[static_cast<std::size_t>(next++)] = {vertices.of_col(col), row};
  });
  return communicator.all_to_all(mirrored, counts).data;
}

/// Sorts each vertex's neighbours and leaves each once.
void sort_neighbours(PatternGraph& graph) {
  gidx kept = 0;
  for (std::size_t v = 0; v + 1 < graph.first.size(); ++v) {
    const auto from = graph.neighbour.begin() + graph.first[v];
    const auto until = graph.neighbour.begin() + graph.first[v + 1];
    graph.first[v] = kept;
    std::sort(from, until);
    const auto end = std::unique(from, until);
    std::copy(from, end, graph.neighbour.begin() + kept);
    kept += end - from;
  }
  graph.first.back() = kept;
  graph.neighbour.resize(static_cast<std::size_t>(kept));
}

}  // namespace

PatternGraph symmetrised(const Communicator& communicator, const Pattern& pattern) {
  const GraphVertices vertices(pattern);
  const int me = communicator.rank();
  const gidx begin = vertices.first(me);
  const auto count = static_cast<std::size_t>(vertices.count(me));
  const std::vector<Edge> others = seen_from_columns(communicator, pattern, vertices);

  PatternGraph graph;
  graph.weight.assign(count, 0);
  for (std::size_t i = 0; i + 1 < pattern.row_ptr.size(); ++i)
    graph.weight[i] = std::max<gidx>(1, pattern.row_ptr[i + 1] - pattern.row_ptr[i]);

  // A counting sort by vertex.
  const auto local = [&](gidx vertex) { return static_cast<std::size_t>(vertex - begin); };
  graph.first.assign(count + 1, 0);
  for (const Edge& e : others) ++graph.first[local(e.from) + 1];
  for_each_edge(pattern, vertices, me, [&](gidx row, gidx) { ++graph.first[local(row) + 1]; });
  for (std::size_t v = 0; v < count; ++v) graph.first[v + 1] += graph.first[v];
  std::vector<gidx> next = graph.first;
  graph.neighbour.resize(static_cast<std::size_t>(graph.first.back()));
  const auto put = [&](gidx from, gidx to) {
    graph.neighbour[static_cast<std::size_t>(next[local(from)]++)] = to;
  };
  for (const Edge& e : others) put(e.from, e.to);
  for_each_edge(pattern, vertices, me, [&](gidx row, gidx col) { put(row, vertices.of_col(col)); });
  sort_neighbours(graph);
  return graph;
}

}  // namespace spmv
