#include "dist/machine/iteration_time.hpp"

#include <algorithm>
#include <numeric>

#include "dist/solve/sum_rounds.hpp"

namespace spmv {

double predict_sum(int ranks, const Machine& machine) {
  const RoundMessages messages = round_messages(ranks, machine.ranks_per_node);
  const int far = std::accumulate(messages.far.begin(), messages.far.end(), 0);
  return static_cast<double>(messages.near.size()) * machine.near_message_s + far * machine.far_message_s +
         static_cast<double>(messages.far.size()) * machine.product_s;
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
