#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>

#include "dist/order/find.hpp"

namespace spmv {

const char* const rcm_missing = nullptr;

std::vector<lidx> order_by_rcm(const OwnGraph& graph, int) {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, lidx, offset>;
  const lidx vertices = graph.vertices();
  if (graph.neighbour.empty()) return vertices_as_they_are(graph);
  std::vector<lidx> source, target = graph.neighbour;
  source.reserve(target.size());
  for (lidx v = 0; v < vertices; ++v)
    source.resize(static_cast<std::size_t>(graph.first[static_cast<std::size_t>(v) + 1]), v);
  const Graph edges(boost::construct_inplace_from_sources_and_targets, source, target, vertices);
  std::vector<boost::default_color_type> colour(static_cast<std::size_t>(vertices));
  std::vector<lidx> order(static_cast<std::size_t>(vertices));
  const auto index = boost::get(boost::vertex_index, edges);
  boost::cuthill_mckee_ordering(edges, order.rbegin(),
                                boost::make_iterator_property_map(colour.begin(), index),
                                boost::make_out_degree_map(edges));
  return order;
}

}  // namespace spmv
