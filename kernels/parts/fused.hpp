// What a kernel is given that computes a product and does its halo exchange itself. How such a kernel works
// is told in fused.cuh; from outside it is seen in LocalOperator::apply_fused().
#pragma once

#include "core/peer_memory.hpp"
#include "core/types.hpp"
#include "kernels/parts/summed_rows.hpp"

namespace spmv {

/// What a fused product works on. All pointers are device memory. Interior rows write to y and boundary rows
/// to boundary_y, each at the place that their operator's row list says. Column c of a boundary row is
/// element c of x where c < owned, and ghost number c - owned otherwise.
template <class T>
struct FusedProduct {
  PeerView peers;
  const lidx* send_index;  // owned elements of x to send, in the order of the send buffer
  const T* x;
  lidx owned;
  T* y;
  T* boundary_y;
  lidx interior_y = 0;     // the element of x that belongs to the first of y ...
  lidx boundary_y_at = 0;  // ... and of boundary_y
  RowWork<T> sums = {};    // of all rows, with any() only for formats with sums_its_rows
};

/// Whether there are kernels for this View that do the exchange, too. A format that has them sets this beside
/// its view, defines can_fuse(interior, boundary), and instantiates launch_fused_cuda().
template <class View>
inline constexpr bool fuses_with_exchange = false;

}  // namespace spmv
