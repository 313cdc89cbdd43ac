// Which interior units the warps of play_both_roles() (fused.cuh) multiply. Warps of send blocks come in late:
//
//     round                 0               early_round             early                   early + round
//     units                 │ other blocks  │ other blocks  ... │ send │ other blocks │ send │ other blocks  ...
#pragma once

#include "core/types.hpp"

namespace spmv {

struct UnitShares {
  lidx early_round;  // units of a round without them
  lidx round;        // units of a round with them
  lidx early;        // units of all rounds without them: half of the rounds, one at least

  static constexpr lidx early_rounds(lidx rounds) { return rounds / 2 > 1 ? rounds / 2 : 1; }

  /// Of so many units, for so many warps of send blocks and others, of which there is one at least. Pure.
  constexpr UnitShares(lidx units, lidx send_warps, lidx other_warps)
      : early_round(other_warps),
        round(other_warps + send_warps),
        early(early_rounds((units + round - 1) / round) * early_round) {}

  /// The first unit of warp number `warp` of the send blocks, or of the others; it may be beyond the last unit. Pure.
  constexpr lidx first_of_senders(lidx warp) const { return early + warp; }
  constexpr lidx first_of_others(lidx warp) const { return warp; }
  /// The warp's unit after this one. Pure.
  constexpr lidx next(lidx unit) const { return unit + (unit < early - early_round ? early_round : round); }
};

}  // namespace spmv
