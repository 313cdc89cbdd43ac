// Who needs what from whom. Const data: no MPI handle, no buffer, no value type; a test can build one by
// hand.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// One rank that this rank exchanges with. Counts and offsets are in elements; either count may be 0, not
/// both.
struct Neighbour {
  int rank = 0;
  lidx send_offset = 0;  // into HaloPlan::send_index and the send buffer
  lidx send_count = 0;
  lidx receive_offset = 0;  // into the halo: this neighbour's ghosts lie together, in place
  lidx receive_count = 0;
};

/// Offsets refer to the whole send buffer and the whole halo. A plan may have some of the neighbours only:
/// then a transport leaves what lies between theirs alone.
struct HaloPlan {
  lidx owned = 0;                     // elements of x this rank owns
  lidx ghosts = 0;                    // elements of x it needs from others: the halo, after the owned ones
  std::vector<Neighbour> neighbours;  // by ascending rank
  std::vector<lidx> send_index;       // which owned elements to gather, grouped by neighbour

  lidx send_total() const { return static_cast<lidx>(send_index.size()); }
};

/// The plan with those of its neighbours only that are among `ranks` (inside == true), or that are not
/// (false). Offsets, send_index and the halo stay as they are. Pure.
HaloPlan keep_neighbours(HaloPlan plan, const std::vector<int>& ranks, bool inside);

/// The plan for multivectors of so many columns, stored by rows: element i becomes the elements i columns to i columns + columns - 1.
/// Pure.
HaloPlan for_columns(const HaloPlan& plan, int columns);

/// One line per neighbour, for people. Pure.
std::string to_string(const HaloPlan& plan);

}  // namespace spmv
