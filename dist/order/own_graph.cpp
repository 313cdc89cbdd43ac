#include <numeric>

#include "dist/order.hpp"

namespace spmv {

std::vector<lidx> vertices_as_they_are(const OwnGraph& graph) {
  if (graph.weight.empty()) return {};
  std::vector<lidx> order(static_cast<std::size_t>(graph.vertices()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

OwnGraph own_graph(const std::vector<offset>& row_ptr, const std::vector<lidx>& col, lidx owned) {
  const auto count = static_cast<std::size_t>(owned);
  return graph_of_edges<lidx, offset>(count, [&](const auto& visit) {
    for (std::size_t row = 0; row < count; ++row)
      for (offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        const auto c = static_cast<std::size_t>(col[static_cast<std::size_t>(k)]);
        if (c >= count || c == row) continue;
        visit(row, static_cast<lidx>(c));
        visit(c, static_cast<lidx>(row));
      }
  });
}

}  // namespace spmv
