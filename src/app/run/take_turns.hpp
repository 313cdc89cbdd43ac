#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace spmv {

/// Gives turns to all takers that want one, round after round, until none does: slow changes of the machine then affect all of
/// them. Every other round goes backwards, so that none is always the first. A taker has wants_turn() and take_turn();
/// after_round(number) is called after each round. Collective if these are; takers must want the same on every rank.
template <class Taker, class AfterRound>
void take_turns(const std::vector<Taker>& takers, const AfterRound& after_round) {
  const auto wants = [](const Taker& taker) { return taker->wants_turn(); };
  for (int round = 1; std::any_of(takers.begin(), takers.end(), wants); ++round) {
    const bool forwards = round % 2 == 1;
    for (std::size_t i = 0; i < takers.size(); ++i) {
      const Taker& taker = takers[forwards ? i : takers.size() - 1 - i];
      if (wants(taker)) taker->take_turn();
    }
    after_round(round);
  }
}

}  // namespace spmv
