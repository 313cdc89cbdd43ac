// How the transports through host memory cut a halo into copies and messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/halo_plan.hpp"
#include "core/types.hpp"

namespace spmv {

/// Below this, parts share a copy. Queueing a copy costs the host 2 to 3 us, in which PCIe moves about twice
/// as much as this: a copy of their own would hold smaller parts up for longer than they wait for each other.
inline constexpr std::size_t least_copy_bytes = std::size_t{64} << 10;

/// What is larger travels in pieces of about piece_bytes, so that the way to the host, the way between the
/// ranks and the way to the device run beside each other also where there is one neighbour only.
inline constexpr std::size_t uncut_bytes = std::size_t{1} << 20;
inline constexpr std::size_t piece_bytes = std::size_t{512} << 10;

/// Consecutive elements.
struct Piece {
  lidx first;
  lidx count;
};

/// The pieces of `elements` consecutive elements, the same on both sides of a message; none for no elements.
/// Pure.
inline std::vector<Piece> cut(lidx elements, std::size_t element_bytes) {
  constexpr std::size_t most = 64;  // more overlap no better, and each costs a message
  const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes;
  std::int64_t count = elements > 0 ? 1 : 0;
  if (bytes > uncut_bytes)
    count = static_cast<std::int64_t>(
        std::min({most, (bytes + piece_bytes - 1) / piece_bytes, static_cast<std::size_t>(elements)}));
  std::vector<Piece> pieces;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = elements * i / count, end = elements * (i + 1) / count;
    pieces.push_back({static_cast<lidx>(begin), static_cast<lidx>(end - begin)});
  }
  return pieces;
}

/// Numbers of the plan's neighbours in the order in which to serve them: the ranks above `me` first, so that
/// the ranks do not all send to rank 0 at the same time. Pure.
inline std::vector<std::size_t> serving_order(const HaloPlan& plan, int me) {
  std::vector<std::size_t> order;
  for (const bool above : {true, false})
    for (std::size_t i = 0; i < plan.neighbours.size(); ++i)
      if ((plan.neighbours[i].rank > me) == above) order.push_back(i);
  return order;
}

}  // namespace spmv
