#include "dist/partition/local_graph.hpp"

#include <algorithm>

#include "core/alike_rows.hpp"
#include "core/region_failure.hpp"

namespace spmv {
namespace {

/// An edge on its way to the rank that holds `from`.
struct Edge {
  gidx from;
  gidx to;
};

/// An edge between groups, and how many nonzeros it stands for.
struct StrongEdge {
  gidx from;
  gidx to;
  gidx strength;
};

/// Vertex ids: every rank's rows, then (rectangular only) its columns, rank after rank.
class Vertices {
 public:
  explicit Vertices(const Pattern& pattern) : pattern_(pattern) {}
  gidx of_row(gidx row) const {
    return row + (pattern_.square() ? 0 : pattern_.cols.first(pattern_.rows.owner(row)));
  }
  gidx of_col(gidx col) const {
    return pattern_.square() ? col : col + pattern_.rows.first(pattern_.cols.owner(col) + 1);
  }
  int owner_of_col(gidx col) const { return pattern_.cols.owner(col); }
  RowPartition partition() const {
    std::vector<gidx> counts;
    counts.reserve(static_cast<std::size_t>(pattern_.rows.ranks()));
    for (int r = 0; r < pattern_.rows.ranks(); ++r)
      counts.push_back(pattern_.rows.count(r) + (pattern_.square() ? 0 : pattern_.cols.count(r)));
    return RowPartition::from_counts(counts);
  }

 private:
  const Pattern& pattern_;
};

/// Calls visit(vertex of the row, vertex of the column) for every nonzero off the diagonal.
template <class Visit>
void for_each_edge(const Pattern& pattern, const Vertices& vertices, gidx first_row, const Visit& visit) {
  for (std::size_t i = 0; i + 1 < pattern.row_ptr.size(); ++i) {
    const gidx row = vertices.of_row(first_row + static_cast<gidx>(i));
    for (offset k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k) {
      const gidx col = vertices.of_col(pattern.col[static_cast<std::size_t>(k)]);
      if (col != row) visit(row, col);
    }
  }
}

/// Every edge of this rank's rows, turned round, at the rank that holds its other end. Collective.
std::vector<Edge> mirror(const Communicator& communicator, const Pattern& pattern, const Vertices& vertices,
                         const RowPartition& owners) {
  const gidx first_row = pattern.rows.first(communicator.rank());
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  for_each_edge(pattern, vertices, first_row,
                [&](gidx, gidx col) { ++counts[static_cast<std::size_t>(owners.owner(col))]; });
  std::vector<offset> place(counts.size(), 0);
  for (std::size_t r = 1; r < place.size(); ++r) place[r] = place[r - 1] + counts[r - 1];
  std::vector<Edge> mirrored(static_cast<std::size_t>(place.back() + counts.back()));
  for_each_edge(pattern, vertices, first_row, [&](gidx row, gidx col) {
    mirrored[static_cast<std::size_t>(place[static_cast<std::size_t>(owners.owner(col))]++)] = {col, row};
  });
  return communicator.all_to_all(mirrored, counts).data;
}

/// Whether row i of this rank has the pattern of the row before it. Empty rows match none.
bool like_the_row_before(const Pattern& pattern, std::size_t i) {
  return pattern.row_ptr[i] < pattern.row_ptr[i + 1] && has_columns_of_row_before(pattern, i);
}

/// Rows of a unit with equal patterns, at most `most`, and the rows before this rank's first whole unit. {1, 0}
/// where there are no units.
std::pair<gidx, gidx> find_unit(const Pattern& pattern) {
  constexpr std::size_t most = 8;
  const std::size_t rows = pattern.row_ptr.size() - 1;
  // Rows unlike the one before, by unit and row % unit.
  std::vector<std::size_t> begins((most + 1) * most, 0);
  const auto place = [](std::size_t unit, std::size_t phase) { return unit * most + phase; };
  std::size_t unlike = 0;
  for (std::size_t i = 1; i < rows; ++i) {
    if (like_the_row_before(pattern, i)) continue;
    ++unlike;
    for (std::size_t unit = 2; unit <= most; ++unit) ++begins[place(unit, i % unit)];
  }
  // Some units may be broken, as at borders. But nearly every row that differs from the one before must begin a unit.
  for (std::size_t unit = most; unit >= 2; --unit)
    for (std::size_t phase = 0; phase < unit; ++phase) {
      const std::size_t there = begins[place(unit, phase)];
      if (10 * (unlike - there) <= unlike && 2 * unit * there > rows) return {unit, phase};
    }
  return {1, 0};
}

/// Sorts edges by their ends and makes one of those between the same two.
void merge(std::vector<StrongEdge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const StrongEdge& a, const StrongEdge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  std::size_t kept = 0;
  for (const StrongEdge& edge : edges) {
    if (kept > 0 && edges[kept - 1].from == edge.from && edges[kept - 1].to == edge.to)
      edges[kept - 1].strength += edge.strength;
    else
      edges[kept++] = edge;
  }
  edges.resize(kept);
}

/// One edge from `group`, whose rows are begin .. end - 1 of this rank, to every other group that they refer to.
void contract(const Pattern& pattern, const RowGroups& groups, gidx group, std::size_t begin, std::size_t end,
              std::vector<StrongEdge>& edges) {
  std::vector<StrongEdge> mine;
  int owner = 0;  // of the column before: columns ascend
  for (offset k = pattern.row_ptr[begin]; k < pattern.row_ptr[end]; ++k) {
    const gidx col = pattern.col[static_cast<std::size_t>(k)];
    if (col < pattern.cols.first(owner) || col >= pattern.cols.first(owner + 1))
      owner = pattern.cols.owner(col);
    const gidx to = groups.of(col, owner);
    if (to == group) continue;
    if (!mine.empty() && mine.back().to == to)
      ++mine.back().strength;
    else
      mine.push_back({group, to, 1});
  }
  merge(mine);
  edges.insert(edges.end(), mine.begin(), mine.end());
}

/// The rows of this rank's groups: one more than groups.
std::vector<std::size_t> first_rows(const RowGroups& groups, const RowPartition& rows, int rank) {
  std::vector<std::size_t> first{0};
  const gidx begin = rows.first(rank);
  for (gidx row = 1; row < rows.count(rank); ++row)
    if (groups.of(begin + row, rank) != groups.of(begin + row - 1, rank))
      first.push_back(static_cast<std::size_t>(row));
  if (rows.count(rank) > 0) first.push_back(static_cast<std::size_t>(rows.count(rank)));
  return first;
}

/// Edges from this rank's groups to others, one for each pair, in the order of groups.
std::vector<StrongEdge> edges_of_groups(const Pattern& pattern, const RowGroups& groups,
                                        const std::vector<std::size_t>& first, int rank) {
  const auto count = static_cast<std::ptrdiff_t>(first.size()) - 1;
  const gidx first_group = groups.groups().first(rank);
  std::vector<StrongEdge> edges;
  RegionFailure failure;
#pragma omp parallel
  {
    std::vector<StrongEdge> part;
#pragma omp for schedule(static) nowait
    for (std::ptrdiff_t g = 0; g < count; ++g)
      failure.guard([&] {
        const auto at = static_cast<std::size_t>(g);
        contract(pattern, groups, first_group + g, first[at], first[at + 1], part);
      });
#pragma omp critical
    failure.guard([&] { edges.insert(edges.end(), part.begin(), part.end()); });
  }
  failure.rethrow();
  return edges;
}

}  // namespace

RowGroups::RowGroups(const RowPartition& rows, std::vector<std::pair<gidx, gidx>> size_and_phase)
    : rows_(rows), shape_(std::move(size_and_phase)), groups_({0}) {
  std::vector<gidx> counts;
  counts.reserve(static_cast<std::size_t>(rows.ranks()));
  for (int r = 0; r < rows.ranks(); ++r)
    counts.push_back(rows.count(r) == 0 ? 0 : 1 + [&] {
      const auto& [size, phase] = shape_[static_cast<std::size_t>(r)];
      const gidx last = rows.count(r) - 1;
      return last < phase ? gidx{0} : (last - phase) / size + (phase > 0 ? 1 : 0);
    }());
  groups_ = RowPartition::from_counts(counts);
}

LocalGraph graph_of_rows(const Communicator& communicator, const Pattern& pattern) {
  const Vertices vertices(pattern);
  const RowPartition owners = vertices.partition();
  const int me = communicator.rank();
  const gidx first = owners.first(me), first_row = pattern.rows.first(me);
  const std::vector<Edge> mirrored = mirror(communicator, pattern, vertices, owners);
  const auto for_each_end = [&](const auto& visit) {
    for (const Edge& e : mirrored) visit(e.from - first, e.to);
    for_each_edge(pattern, vertices, first_row, [&](gidx row, gidx col) { visit(row - first, col); });
  };
  const auto count = static_cast<std::size_t>(owners.count(me));
  LocalGraph graph{graph_of_edges<gidx, gidx>(count, for_each_end), owners};
  graph.weight.assign(count, 0);
  for (std::size_t i = 0; i + 1 < pattern.row_ptr.size(); ++i)
    graph.weight[i] = std::max<gidx>(1, pattern.row_ptr[i + 1] - pattern.row_ptr[i]);
  return graph;
}

RowGroups group_rows(const Communicator& communicator, const Pattern& pattern, gidx least) {
  struct Shape {
    gidx size, phase;
  };
  const auto [unit, phase] = find_unit(pattern);
  std::vector<std::pair<gidx, gidx>> shapes;
  for (const Shape& s : communicator.all_gather(Shape{(least + unit - 1) / unit * unit, phase}))
    shapes.emplace_back(s.size, s.phase);
  return {pattern.rows, std::move(shapes)};
}

double edges_per_nonzero(const Communicator& communicator, const Pattern& pattern, const RowGroups& groups) {
  constexpr std::size_t enough = 500;  // groups of a rank
  const int me = communicator.rank();
  const std::vector<std::size_t> rows = first_rows(groups, pattern.rows, me);
  const std::size_t count = rows.size() - 1, step = count / enough + 1;
  gidx nonzeros = 0;
  std::vector<StrongEdge> edges;
  for (std::size_t g = 0; g < count; g += step) {
    contract(pattern, groups, groups.groups().first(me) + static_cast<gidx>(g), rows[g], rows[g + 1], edges);
    nonzeros += pattern.row_ptr[rows[g + 1]] - pattern.row_ptr[rows[g]];
  }
  const std::vector<gidx> sums =
      communicator.sum(std::vector<gidx>{static_cast<gidx>(edges.size()), nonzeros});
  return static_cast<double>(sums[0]) / static_cast<double>(std::max<gidx>(sums[1], 1));
}

LocalGraph graph_of_groups(const Communicator& communicator, const Pattern& pattern,
                           const RowGroups& groups) {
  const int me = communicator.rank();
  const std::vector<std::size_t> rows = first_rows(groups, pattern.rows, me);
  std::vector<StrongEdge> edges = edges_of_groups(pattern, groups, rows, me);

  std::vector<StrongEdge> mirrored = edges;
  for (StrongEdge& e : mirrored) std::swap(e.from, e.to);
  std::sort(mirrored.begin(), mirrored.end(),
            [](const StrongEdge& a, const StrongEdge& b) { return a.from < b.from; });
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  for (const StrongEdge& e : mirrored) ++counts[static_cast<std::size_t>(groups.groups().owner(e.from))];
  mirrored = communicator.all_to_all(mirrored, counts).data;
  edges.insert(edges.end(), mirrored.begin(), mirrored.end());
  merge(edges);

  LocalGraph graph{{}, groups.groups()};
  const gidx first = graph.owners.first(me);
  auto edge = edges.begin();
  for (std::size_t g = 0; g + 1 < rows.size(); ++g) {
    graph.weight.push_back(std::max<gidx>(1, pattern.row_ptr[rows[g + 1]] - pattern.row_ptr[rows[g]]));
    for (; edge != edges.end() && edge->from == first + static_cast<gidx>(g); ++edge) {
      graph.neighbour.push_back(edge->to);
      graph.strength.push_back(std::min<gidx>(edge->strength, 1 << 20));
    }
    graph.first.push_back(static_cast<offset>(graph.neighbour.size()));
  }
  return graph;
}

}  // namespace spmv
