// One product and its whole halo exchange in one kernel: see kernels/README.md.
#pragma once

#include "core/peer_memory.hpp"
#include "core/types.hpp"

namespace spmv {

/// What a fused product works on. All pointers are device memory. Interior rows write from y on, boundary
/// rows from boundary_y on, each as their operator's row list says; a boundary row's column c is element c of
/// x below `owned`, and ghost c - owned from there on.
template <class T>
struct FusedProduct {
  PeerView peers;
  const lidx* send_index;  // owned elements of x to put, in the packed order
  const T* x;
  lidx owned;
  T* y;
  T* boundary_y;
};

/// Whether kernels of this format's view take part in an exchange; a format that does says so beside its view
/// and instantiates launch_fused_cuda().
template <class View>
inline constexpr bool fuses_with_exchange = false;

}  // namespace spmv
