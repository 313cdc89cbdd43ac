#include "dist/solve/sum_rounds.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "kernels/combine/sum_in_pairs.hpp"

namespace spmv {
namespace {

/// Ranks that have the same sums, in ascending order.
using Team = std::vector<int>;
/// Teams that are to become one.
using Island = std::vector<Team>;

/// How many teams become one in the next round: all of them if these are `most` or fewer; else a power of two, the smallest one
/// that leads to no more rounds than the largest. So pairs of pairs stay together. Pure.
int bundle_size(int teams, int most) {
  if (teams <= most) return teams;
  const auto rounds = [&](int size) {
    int count = 1;
    for (int left = teams; left > most; left = (left + size - 1) / size) ++count;
    return count;
  };
  int size = 2;
  while (2 * size <= most) size *= 2;
  const int fewest = rounds(size);
  while (size > 2 && rounds(size / 2) == fewest) size /= 2;
  return size;
}

/// The teams [begin, end) of an island add up their sums: each rank takes those of every team from the member that has its own
/// place, counted around.
void add_round(const Island& island, std::size_t begin, std::size_t end, int rank, SumRound& round) {
  const auto member = [](const Team& team, std::size_t place) { return team[place % team.size()]; };
  for (std::size_t own = begin; own < end; ++own) {
    for (std::size_t place = 0; place < island[own].size(); ++place)
      for (std::size_t other = begin; other < end; ++other) {
        const int here = island[own][place];
        const int sender = other == own ? here : member(island[other], place);
        if (here == rank) round.from.push_back(sender);
        if (sender == rank && here != rank) round.to.push_back(here);
      }
  }
}

Team joined(const Island& island, std::size_t begin, std::size_t end) {
  Team team;
  for (std::size_t i = begin; i < end; ++i) team.insert(team.end(), island[i].begin(), island[i].end());
  return team;
}

/// Adds rounds until each island is one team.
void unite(std::vector<Island>& islands, int most, int rank, std::vector<SumRound>& rounds) {
  const auto largest = [&] {
    std::size_t size = 0;
    for (const Island& island : islands) size = std::max(size, island.size());
    return static_cast<int>(size);
  };
  while (largest() > 1) {
    const auto size = static_cast<std::size_t>(bundle_size(largest(), most));
    SumRound round;
    for (Island& island : islands) {
      Island next;
      for (std::size_t begin = 0; begin < island.size(); begin += size) {
        const std::size_t end = std::min(begin + size, island.size());
        add_round(island, begin, end, rank, round);
        next.push_back(joined(island, begin, end));
      }
      island = std::move(next);
    }
    rounds.push_back(std::move(round));
  }
}

}  // namespace

std::vector<SumRound> sum_rounds(const std::vector<int>& node, int rank, RoundLimits limits) {
  if (std::min(limits.of_node, limits.of_teams) < 2 ||
      std::max(limits.of_node, limits.of_teams) > most_terms_in_pairs)
    throw Error(ExitCode::internal,
                "a round of sums is of two ranks or more, and of no more than one kernel adds");
  std::map<int, Island> of_node;
  for (std::size_t r = 0; r < node.size(); ++r) of_node[node[r]].push_back({static_cast<int>(r)});
  std::vector<Island> nodes;
  nodes.reserve(of_node.size());
  for (auto& [number, ranks] : of_node) nodes.push_back(std::move(ranks));
  std::vector<SumRound> rounds;
  unite(nodes, limits.of_node, rank, rounds);
  std::vector<Island> all(1);
  for (Island& island : nodes) all.front().push_back(std::move(island.front()));
  unite(all, limits.of_teams, rank, rounds);
  return rounds;
}

RoundMessages round_messages(int ranks, int ranks_per_node, RoundLimits limits) {
  const auto rounds = [](int teams, int most) {
    std::vector<int> messages;
    for (int size = 0; teams > 1; teams = (teams + size - 1) / size) {
      size = bundle_size(teams, most);
      messages.push_back(size - 1);
    }
    return messages;
  };
  return {rounds(std::min(ranks, ranks_per_node), limits.of_node),
          rounds((ranks + ranks_per_node - 1) / ranks_per_node, limits.of_teams)};
}

HaloPlan sums_plan(const SumRound& round, int rank, const std::vector<lidx>& places) {
  const auto count = static_cast<lidx>(places.size());
  std::map<int, Neighbour> by_rank;
  HaloPlan plan;
  plan.owned = places.back() + 1;
  for (const int other : round.from) {
    if (other == rank) continue;
    Neighbour& neighbour = by_rank[other];
    neighbour.receive_offset = plan.ghosts;
    neighbour.receive_count = count;
    plan.ghosts += count;
  }
  for (const int other : round.to) by_rank[other].send_count = count;
  for (auto& [other, neighbour] : by_rank) {
    neighbour.rank = other;
    neighbour.send_offset = plan.send_total();
    if (neighbour.send_count > 0) plan.send_index.insert(plan.send_index.end(), places.begin(), places.end());
    plan.neighbours.push_back(neighbour);
  }
  return plan;
}

}  // namespace spmv
