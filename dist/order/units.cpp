#include "dist/order/units.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/xxh64.hpp"

namespace spmv {
namespace {

constexpr lidx none = -1;

std::uint64_t hash(lidx vertex) {
  return xxh64(&vertex, sizeof(vertex), 0);
}

/// Equal for vertices with the same neighbours, each counted as its own: a sum, since the order must not matter.
std::vector<std::uint64_t> signatures(const OwnGraph& graph) {
  std::vector<std::uint64_t> signature(static_cast<std::size_t>(graph.vertices()));
  for (lidx v = 0; v < graph.vertices(); ++v) {
    std::uint64_t sum = hash(v);
    for (const lidx u : graph.neighbours(v)) sum += hash(u);
    signature[static_cast<std::size_t>(v)] = sum;
  }
  return signature;
}

/// Whether two neighbours have all others in common.
bool alike(const OwnGraph& graph, lidx a, lidx b) {
  const auto of_a = graph.neighbours(a), of_b = graph.neighbours(b);
  if (of_a.size() != of_b.size()) return false;
  auto at_a = of_a.begin();
  auto at_b = of_b.begin();
  while (true) {
    if (at_a != of_a.end() && *at_a == b) ++at_a;
    if (at_b != of_b.end() && *at_b == a) ++at_b;
    if (at_a == of_a.end() || at_b == of_b.end()) return at_a == of_a.end() && at_b == of_b.end();
    if (*at_a++ != *at_b++) return false;
  }
}

/// The units' graph: a unit has the neighbours of its first row, each by its unit.
OwnGraph contract(const OwnGraph& rows, const std::vector<lidx>& of_row, const std::vector<lidx>& first_row) {
  OwnGraph graph;
  graph.weight.assign(first_row.size(), 0);
  for (const lidx unit : of_row) ++graph.weight[static_cast<std::size_t>(unit)];
  for (std::size_t unit = 0; unit < first_row.size(); ++unit) {
    const auto begin = static_cast<std::ptrdiff_t>(graph.neighbour.size());
    for (const lidx u : rows.neighbours(first_row[unit])) {
      const lidx other = of_row[static_cast<std::size_t>(u)];
      if (other != static_cast<lidx>(unit)) graph.neighbour.push_back(other);
    }
    std::sort(graph.neighbour.begin() + begin, graph.neighbour.end());
    graph.neighbour.erase(std::unique(graph.neighbour.begin() + begin, graph.neighbour.end()),
                          graph.neighbour.end());
    graph.first.push_back(static_cast<offset>(graph.neighbour.size()));
  }
  return graph;
}

}  // namespace

Units merge_units(OwnGraph rows) {
  const std::vector<std::uint64_t> signature = signatures(rows);
  Units units;
  units.of_row.assign(signature.size(), none);
  std::vector<lidx> first_row;
  for (lidx row = 0; row < rows.vertices(); ++row) {
    lidx& unit = units.of_row[static_cast<std::size_t>(row)];
    if (unit != none) continue;
    unit = static_cast<lidx>(first_row.size());
    first_row.push_back(row);
    for (const lidx u : rows.neighbours(row)) {
      lidx& other = units.of_row[static_cast<std::size_t>(u)];
      if (other == none &&
          signature[static_cast<std::size_t>(u)] == signature[static_cast<std::size_t>(row)] &&
          alike(rows, row, u))
        other = unit;
    }
  }
  units.graph =
      first_row.size() == units.of_row.size() ? std::move(rows) : contract(rows, units.of_row, first_row);
  return units;
}

std::vector<lidx> rows_in_order(const Units& units, const std::vector<lidx>& order) {
  if (order.empty()) return {};
  std::vector<lidx> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<lidx>(i);
  std::vector<lidx> rows(units.of_row.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto place_of = [&](lidx row) {
    return place[static_cast<std::size_t>(units.of_row[static_cast<std::size_t>(row)])];
  };
  std::stable_sort(rows.begin(), rows.end(), [&](lidx a, lidx b) { return place_of(a) < place_of(b); });
  return rows;
}

}  // namespace spmv
