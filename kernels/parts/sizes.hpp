// Sizes that hardware sets and many kernels rely on, each defined once. Where two numbers must be equal, one
// is defined by the other.
#pragma once

#include "core/types.hpp"

namespace spmv {

/// Threads of a warp, on every CUDA device so far.
inline constexpr int warp_size = 32;

/// Rows that are stored side by side, one for each lane of a warp: a slice of SELL and of what descends from
/// it.
inline constexpr int slice_rows = warp_size;

/// [Bordawekar 2013]: loads of half a warp are aligned, so rows are padded to a multiple of it.
inline constexpr lidx half_warp = warp_size / 2;

/// [Bordawekar 2013]: columns of a block, whose part of x is staged together.
inline constexpr lidx strip_cols = 1024;

/// What a GPU moves at least between its memory and its caches.
inline constexpr int sector_bytes = 32;

/// What a processor moves at least between its memory and its caches.
inline constexpr int cache_line_bytes = 64;

/// `count` in whole multiples of `unit`, rounded up.
constexpr offset rounded_up(offset count, offset unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace spmv
