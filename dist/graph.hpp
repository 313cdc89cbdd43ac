// A graph in compressed rows: what partitioners and orders work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace spmv {

/// Vertices with their neighbours. Partitioners and orders take undirected graphs without loops, whose edges are held by
/// both of their ends. `Id` has the width that a library wants; `Place` counts edge ends.
template <class Id, class Place = Id>
struct Graph {
  std::vector<Place> first{0};  // of each vertex in `neighbour`, and after the last one's
  std::vector<Id> neighbour;
  std::vector<Id> weight;    // of each vertex; empty where every vertex counts as one
  std::vector<Id> strength;  // of each edge end; empty where every edge counts as one

  Id vertices() const { return static_cast<Id>(first.size()) - 1; }
  /// The neighbours of one vertex.
  struct Neighbours {
    const Id* from;
    const Id* until;
    const Id* begin() const { return from; }
    const Id* end() const { return until; }
    std::size_t size() const { return static_cast<std::size_t>(until - from); }
  };
  Neighbours neighbours(Id vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {neighbour.data() + first[v], neighbour.data() + first[v + 1]};
  }
};

/// A graph with ascending neighbours, none twice. `for_each_edge(visit)` calls visit(vertex, neighbour) for every edge end,
/// some perhaps several times; it is called twice. Pure.
template <class Id, class Place, class ForEachEdge>
Graph<Id, Place> graph_of_edges(std::size_t vertices, const ForEachEdge& for_each_edge) {
  Graph<Id, Place> graph;
  graph.first.assign(vertices + 1, 0);
  for_each_edge([&](auto from, Id) { ++graph.first[static_cast<std::size_t>(from) + 1]; });
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  graph.neighbour.resize(static_cast<std::size_t>(graph.first.back()));
  std::vector<Place> next(graph.first.begin(), graph.first.end() - 1);
  for_each_edge([&](auto from, Id to) {
    graph.neighbour[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = to;
  });
  auto kept = graph.neighbour.begin();
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto from = graph.neighbour.begin() + graph.first[v];
    const auto until = graph.neighbour.begin() + graph.first[v + 1];
    graph.first[v] = kept - graph.neighbour.begin();
    std::sort(from, until);
    kept = std::copy(from, std::unique(from, until), kept);
  }
  graph.first.back() = kept - graph.neighbour.begin();
  graph.neighbour.erase(kept, graph.neighbour.end());
  return graph;
}

}  // namespace spmv
