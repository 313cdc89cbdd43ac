#include "dist/machine/iteration_time.hpp"

#include <algorithm>

namespace spmv {

double predict_sum(int ranks, const Machine& machine) {
  const int nodes = (ranks + machine.ranks_per_node - 1) / machine.ranks_per_node;
  const bool several_on_a_node = ranks > 1 && machine.ranks_per_node > 1;
  const double within = several_on_a_node ? machine.near_message_s : 0;
  if (nodes <= 1) return within;
  int steps = 0;
  while ((1 << steps) < nodes) ++steps;
  return within + steps * machine.far_message_s + within;
}

IterationTimes predict_iteration(const std::vector<PartShare>& shares, const IterationWork& work,
                                 double product_s, std::size_t value_bytes, const Machine& machine) {
  gidx most_rows = 0;
  for (const PartShare& share : shares) most_rows = std::max(most_rows, share.rows);
  const double passes_bytes =
      static_cast<double>(work.passes) * static_cast<double>(most_rows) * static_cast<double>(value_bytes);
  const double products = work.products * product_s;
  const double sums = work.sums * predict_sum(static_cast<int>(shares.size()), machine);
  const bool hides = work.hides_sums && static_cast<int>(shares.size()) > machine.ranks_per_node;
  return {products, passes_bytes / machine.memory + work.sums * machine.product_s,
          hides ? std::max(0.0, sums - products) : sums};
}

}  // namespace spmv
