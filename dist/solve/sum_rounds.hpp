// Who adds up whose sums, and when. Among few ranks everyone sends to everyone at once. Among many that would be too many
// messages: first the ranks of each node add up theirs, then teams of nodes, then teams of those, as in a butterfly of a higher
// radix. After each round all ranks of a team have the same bits. A rank adds in pairs (kernels/combine/sum_in_pairs.hpp), and
// all rounds but the last of a node or of all are of 2, 4, 8 ... ranks. So the bits are those of as many ranks on a single node,
// if every node has 1, 2, 4, 8 ... of them, one after another.
//
//   2 nodes with 3 ranks      round 0: 0, 1, 2 among themselves, 3, 4, 5 among themselves
//                             round 1: 0 with 3, 1 with 4, 2 with 5
#pragma once

#include <vector>

#include "comm/halo_plan.hpp"

namespace spmv {

/// One round, as one rank sees it.
struct SumRound {
  std::vector<int> from;  // the ranks whose sums it adds, in this order, itself among them
  std::vector<int> to;    // the others that add its sums
};

/// Ranks or teams whose sums are added in one round, at most. Between nodes a round takes about as long for itself as four of
/// its messages: then four to six teams make the fewest microseconds in all. Both are from 2 to most_terms_in_pairs.
struct RoundLimits {
  int of_node = 32;
  int of_teams = 6;
};

/// The rounds of `rank`: as many on every rank, none if it is alone. `node`: of each rank, any number that the ranks of a node
/// share. Pure.
std::vector<SumRound> sum_rounds(const std::vector<int>& node, int rank, RoundLimits limits = {});

/// Messages that a rank waits for in each round, at most, with so many ranks on every node: first those of its node, then
/// those between nodes. Pure.
struct RoundMessages {
  std::vector<int> near;
  std::vector<int> far;
};
RoundMessages round_messages(int ranks, int ranks_per_node, RoundLimits limits = {});

/// The exchange of a round: the sums in these places to each of `to`, and as many from each of `from`, in its order without this
/// rank. Pure.
HaloPlan sums_plan(const SumRound& round, int rank, const std::vector<lidx>& places);

}  // namespace spmv
