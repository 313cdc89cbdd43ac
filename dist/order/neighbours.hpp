#pragma once

#include <span>

#include "dist/order.hpp"

namespace spmv {

/// Of one vertex, ascending.
inline std::span<const lidx> neighbours(const OwnGraph& graph, lidx vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  return {graph.neighbour.data() + graph.first[v], graph.neighbour.data() + graph.first[v + 1]};
}

}  // namespace spmv
