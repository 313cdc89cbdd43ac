#include <algorithm>
#include <numeric>

#include "dist/order.hpp"

namespace spmv {

std::vector<lidx> OwnGraph::vertices_as_they_are() const {
  if (weight.empty()) return {};
  std::vector<lidx> order(static_cast<std::size_t>(vertices()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

OwnGraph own_graph(const std::vector<offset>& row_ptr, const std::vector<lidx>& col, lidx owned) {
  const auto count = static_cast<std::size_t>(owned);
  const auto for_each_edge = [&](const auto& visit) {
    for (std::size_t row = 0; row < count; ++row)
      for (offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        const auto c = static_cast<std::size_t>(col[static_cast<std::size_t>(k)]);
        if (c < count && c != row) visit(row, c);
      }
  };
  OwnGraph graph;
  graph.first.assign(count + 1, 0);
  for_each_edge([&](std::size_t row, std::size_t c) {
    ++graph.first[row + 1];
    ++graph.first[c + 1];
  });
  for (std::size_t v = 0; v < count; ++v) graph.first[v + 1] += graph.first[v];
  graph.neighbour.resize(static_cast<std::size_t>(graph.first.back()));
  std::vector<offset> next(graph.first.begin(), graph.first.end() - 1);
  const auto put = [&](std::size_t from, std::size_t to) {
    graph.neighbour[static_cast<std::size_t>(next[from]++)] = static_cast<lidx>(to);
  };
  for_each_edge([&](std::size_t row, std::size_t c) {
    put(row, c);
    put(c, row);
  });
  offset kept = 0;
  for (std::size_t v = 0; v < count; ++v) {
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
  return graph;
}

}  // namespace spmv
