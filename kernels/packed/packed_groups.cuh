// Several slices of one pattern at once (patterns.hpp), by one warp: a head is read once for all of them, from shared
// memory, and where every lane has an element on every diagonal no lane is asked for.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/packed/packed_elements.cuh"

namespace spmv {

inline constexpr int groups_block_threads = 256;
template <class T>
inline constexpr int groups_blocks_per_multiprocessor = sizeof(T) > 8 ? 2 : 4;

/// One group, through the read-only path; eight bytes after the other.
__device__ __forceinline__ SliceGroup load_group(const SliceGroup* at) {
  constexpr int words = sizeof(SliceGroup) / sizeof(uint2);
  union Words {
    __device__ Words() {}
    uint2 word[words];
    SliceGroup group;
  } loaded;
#pragma unroll
  for (int w = 0; w < words; ++w) loaded.word[w] = __ldg(reinterpret_cast<const uint2*>(at) + w);
  return loaded.group;
}

/// Loads all pattern heads of a view to shared memory. Called by all threads of a block, which meet before they use them.
template <class T, class D>
__device__ __forceinline__ void load_patterns(const PackedView<T>& a, DeviceHead<D>* patterns) {
  // Columns become offsets in bytes, of 32 bits and modulo 2^32: an address is then one addition. Neither x nor y is longer.
  constexpr unsigned element = sizeof(D);
  for (int h = static_cast<int>(threadIdx.x); h < a.pattern_heads; h += static_cast<int>(blockDim.x)) {
    DeviceHead<D> head = load_head(reinterpret_cast<const DeviceHead<D>*>(a.pattern) + h);
    head.base = static_cast<lidx>(static_cast<unsigned>(head.base) * element);
    patterns[h] = head;
  }
}

/// Adds the products with the elements of x on `count` diagonals to the sums, all loads before the first use. has(head):
/// whether the lane has an element on the diagonal of that head.
template <int count, class D, class Has, class XAt>
__device__ __forceinline__ void multiply_diagonals(const DeviceHead<D>* heads,
                                                   const unsigned (&row_at)[most_slices_of_group],
                                                   D (&sum)[most_slices_of_group], const Has& has,
                                                   const XAt& x_at) {
  D w[count][most_slices_of_group];
#pragma unroll
  for (int u = 0; u < count; ++u) {
    const auto base = static_cast<unsigned>(heads[u].base);
#pragma unroll
    for (int m = 0; m < most_slices_of_group; ++m) w[u][m] = has(heads[u]) ? x_at(row_at[m] + base) : D{};
  }
#pragma unroll
  for (int u = 0; u < count; ++u) {
    const D value = heads[u].value;
#pragma unroll
    for (int m = 0; m < most_slices_of_group; ++m)
      if (has(heads[u])) sum[m] = multiply_add(value, w[u][m], sum[m]);
  }
}

/// The same for `count` triples of a chain, whose rows are `stride` bytes from each other; whole: of four slices.
template <int count, bool whole, class D, class XAt>
__device__ __forceinline__ void multiply_triples(const DeviceHead<D>* heads, unsigned first_row_at,
                                                 unsigned stride, bool has_four, int lane,
                                                 D (&sum)[most_slices_of_group], const XAt& x_at) {
  constexpr int loads = most_slices_of_group + 2;
  D w[count][loads];
#pragma unroll
  for (int u = 0; u < count; ++u) {
    const bool has = whole || (heads[3 * u].lanes >> lane & 1u) != 0;
    const unsigned from = first_row_at + static_cast<unsigned>(heads[3 * u].base);
#pragma unroll
    for (int t = 0; t < loads; ++t)
      w[u][t] = has && (whole || has_four || t + 1 < loads) ? x_at(from + t * stride) : D{};
  }
#pragma unroll
  for (int u = 0; u < count; ++u) {
    const bool has = whole || (heads[3 * u].lanes >> lane & 1u) != 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const D value = heads[3 * u + d].value;
#pragma unroll
      for (int m = 0; m < most_slices_of_group; ++m)
        if (has) sum[m] = multiply_add(value, w[u][m + d], sum[m]);
    }
  }
}

/// Multiplies the rows of group g, by one warp. `patterns`: shared memory in which load_patterns() has put all heads.
template <class T, class D, class Rows>
__device__ __forceinline__ void multiply_group(const PackedView<T>& a, lidx g, const D* __restrict__ x,
                                               Rows& y, bool add_to_y, const DeviceHead<D>* patterns) {
  constexpr int slices = most_slices_of_group;
  constexpr int in_flight = 3;  // heads
  constexpr unsigned element = sizeof(D);
  const auto* const x_bytes = reinterpret_cast<const unsigned char*>(x);
  const auto x_at = [&](unsigned at) { return __ldg(reinterpret_cast<const D*>(x_bytes + at)); };
  const int lane = static_cast<int>(threadIdx.x) % slice_rows;
  const SliceGroup group = load_group(a.group + g);
  const DeviceHead<D>* const heads = patterns + group.head_at;
  const lidx width = group.width();
  unsigned row_at[slices];
  D sum[slices];
#pragma unroll
  for (int m = 0; m < slices; ++m) {
    // Where there are fewer slices the first is multiplied again, and not stored.
    const lidx slice = group.slice[m] == SliceGroup::none ? group.slice[0] : group.slice[m];
    row_at[m] = static_cast<unsigned>(row_of(slice, lane)) * element;
    sum[m] = D{};
  }
  const auto multiply_all = [&](auto whole) {
    lidx j = 0;
    if (const lidx triples = group.triples(); triples > 0) {
      constexpr int together = 2;
      const unsigned stride = row_at[1] - row_at[0];
      const bool has_four = group.slice[slices - 1] != SliceGroup::none;
#pragma unroll 1
      for (; j + 3 * together <= 3 * triples; j += 3 * together)
        multiply_triples<together, whole>(heads + j, row_at[0], stride, has_four, lane, sum, x_at);
      if (j < 3 * triples) {
        multiply_triples<1, whole>(heads + j, row_at[0], stride, has_four, lane, sum, x_at);
        j += 3;
      }
    }
    const auto has = [&](const DeviceHead<D>& head) { return whole || (head.lanes >> lane & 1u) != 0; };
#pragma unroll 1
    for (; j + in_flight <= width; j += in_flight)
      multiply_diagonals<in_flight>(heads + j, row_at, sum, has, x_at);
#pragma unroll 1
    for (; j < width; ++j) multiply_diagonals<1>(heads + j, row_at, sum, has, x_at);
  };
  if (group.is_whole())
    multiply_all(std::true_type{});
  else
    multiply_all(std::false_type{});
#pragma unroll
  for (int m = 0; m < slices; ++m) {
    const bool again = m > 0 && row_at[m] == row_at[0];
    const offset row = row_at[m] / element;
    if (!again && row < a.rows) store_row(y, a.row_list, row, sum[m], add_to_y);
  }
}

/// Multiplies the rows of a view that has groups, by thread block number `block` of `blocks`. Called by all threads of
/// the block, after load_patterns().
template <class T, class D, class Rows>
__device__ __forceinline__ void multiply_groups(const PackedView<T>& a, lidx block, lidx blocks,
                                                const D* __restrict__ x, Rows& y, bool add_to_y,
                                                const DeviceHead<D>* patterns) {
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / slice_rows;
  for (lidx g = block * warps + static_cast<int>(threadIdx.x) / slice_rows; g < a.groups; g += blocks * warps)
    multiply_group(a, g, x, y, add_to_y, patterns);
}

/// Where slices after the groups find room when the patterns are needed no more: heads of every warp, and an element of
/// each thread after them.
template <class T>
struct BehindGroups {
  static constexpr std::size_t heads_bytes = groups_block_threads * sizeof(Head<T>);
  static constexpr std::size_t bytes = heads_bytes + groups_block_threads * sizeof(T);
};

/// Bytes of shared memory of a thread block that multiplies a view in groups, and other slices after them if `more`.
template <class T>
std::size_t shared_for_groups(const PackedView<T>& view, bool more) {
  const std::size_t patterns = static_cast<std::size_t>(view.pattern_heads) * sizeof(Head<T>);
  return more ? std::max(patterns, BehindGroups<T>::bytes) : patterns;
}

/// Multiplies the slices that are in no group, by one thread a row as the groups, and by thread block number `block` of
/// `blocks`: the last blocks, whose share of the groups is smaller, come first. Called by all threads of the block when it
/// has done with the groups.
template <class T, class D, class Rows>
__device__ __forceinline__ void multiply_others(const PackedView<T>& a, lidx block, lidx blocks,
                                                const D* __restrict__ x, Rows& y, bool add_to_y,
                                                DeviceHead<D>* heads, D* shared) {
  const lidx slices = static_cast<lidx>(blockDim.x) / slice_rows / a.threads_per_row;  // of a part
  const lidx parts = (a.others + slices - 1) / slices;
  for (lidx part = blocks - 1 - block; part < parts; part += blocks) {
    __syncthreads();  // shared memory is used again
    multiply_any_slices(a, part, WholeX<D>{x}, y, add_to_y, heads, shared,
                        [&](lidx i) { return i < a.others ? __ldg(a.other + i) : a.slices; });
  }
}

}  // namespace spmv
