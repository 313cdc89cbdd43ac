// Slices of one pattern and k columns at once. A thread has four rows, and what it has loaded of x on one of three diagonals it uses
// again on the others. In a chain (patterns.hpp) these are the rows of one lane. In any other group they are neighbours, a quartet,
// which walks over x:
//
//   rows of the quartet      0   1   2   3
//   loads of a walk     0    1   2   3   4   5       diagonals d, d + 1, d + 2: six loads for twelve elements
//
// Quartets of odd number go backwards: those beside them then load other banks of the first cache. So rows differ in the order in
// which the elements of three diagonals are added.
#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include "core/launch_behind.cuh"
#include "core/resident.cuh"
#include "kernels/packed/packed_groups.cuh"
#include "kernels/parts/multivector.cuh"

namespace spmv {

inline constexpr int quartet = 4;
inline constexpr int quartets_of_slice = slice_rows / quartet;
/// Threads of a group, for each bundle of columns: one for each lane of a chain, and as many quartets.
inline constexpr int threads_of_group = slice_rows;
static_assert(most_slices_of_group * quartets_of_slice == threads_of_group);

/// One thread's quartet: its walk over x, and its sums in the order of the walk.
template <class D, int width>
struct Quartet {
  BundleOf<D, width> bundle;
  offset first;  // row where the walk begins
  int number;    // in its slice
  bool back;
  Bundle<D, width> sum[quartet];

  __device__ __forceinline__ Quartet(const BundleOf<D, width>& of, offset slice, int quartet_of_slice)
      : bundle(of), number(quartet_of_slice), back(quartet_of_slice % 2 == 1), sum{} {
    first = slice * slice_rows + number * quartet + (back ? quartet - 1 : 0);
  }
  /// The row of sum number i.
  __device__ __forceinline__ offset row(int i) const { return back ? first - i : first + i; }
  /// The head of number d, in the order of the walk, among `count` neighbours.
  template <int count>
  __device__ __forceinline__ const DeviceHead<D>& head(const DeviceHead<D>* heads, int d) const {
    return heads[back ? count - 1 - d : d];
  }
  /// Rows that have an element on a diagonal, in the order of the walk.
  __device__ __forceinline__ unsigned rows_on(const DeviceHead<D>& of) const {
    const unsigned rows = of.lanes >> (number * quartet) & 0xfu;
    return back ? __brev(rows) >> 28 : rows;
  }

  /// Adds the elements on `count` neighbouring diagonals. whole: every row of the slice has all of them.
  template <int count, bool whole>
  __device__ __forceinline__ void add(const DeviceHead<D>* heads) {
    constexpr int loads = quartet + count - 1;
    unsigned rows[count] = {}, needed = 0;
    if constexpr (!whole) {
#pragma unroll
      for (int d = 0; d < count; ++d) {
        rows[d] = rows_on(head<count>(heads, d));
        needed |= rows[d] << d;
      }
    }
    const D* const from = bundle.x + (first + head<count>(heads, 0).base) * bundle.k;
    const offset step = back ? -bundle.k : bundle.k;
    Bundle<D, width> w[loads];
#pragma unroll
    for (int t = 0; t < loads; ++t)
      if (whole || (needed >> t & 1u) != 0) w[t] = load_bundle<D, width>(from + t * step);
#pragma unroll
    for (int d = 0; d < count; ++d) {
      const D value = head<count>(heads, d).value;
#pragma unroll
      for (int i = 0; i < quartet; ++i)
        if (whole || (rows[d] >> i & 1u) != 0) sum[i] = multiply_add(value, w[i + d], sum[i]);
    }
  }
};

template <int count, class D, int width>
__device__ __forceinline__ void add_diagonals(Quartet<D, width>& rows, const DeviceHead<D>* heads) {
  bool whole = true;
#pragma unroll
  for (int d = 0; d < count; ++d) whole = whole && heads[d].lanes == ~0u;
  if (whole)
    rows.template add<count, true>(heads);
  else
    rows.template add<count, false>(heads);
}

/// Multiplies the rows of a quartet. `heads`: the `diagonals` heads of its slice's pattern.
template <class D, int width>
__device__ __forceinline__ void multiply_quartet(Quartet<D, width>& rows, const DeviceHead<D>* heads,
                                                 lidx diagonals, lidx all_rows) {
#pragma unroll 1
  for (lidx j = 0; j < diagonals;) {
    const DeviceHead<D>* const at = heads + j;
    if (j + 2 < diagonals && at[1].base == at[0].base + 1 && at[2].base == at[0].base + 2) {
      add_diagonals<3>(rows, at);
      j += 3;
    } else {
      add_diagonals<1>(rows, at);
      ++j;
    }
  }
#pragma unroll
  for (int i = 0; i < quartet; ++i)
    if (rows.row(i) < all_rows) rows.bundle.store(rows.row(i), rows.sum[i]);
}

/// Multiplies the rows that one lane has in the slices of a chain.
template <class D, int width>
__device__ __forceinline__ void multiply_lane(const SliceGroup& group, int lane, const DeviceHead<D>* heads,
                                              const BundleOf<D, width>& bundle, lidx all_rows) {
  constexpr int slices = most_slices_of_group, loads = slices + 2;
  const offset first = row_of(group.slice[0], lane);
  const offset rows = static_cast<offset>(group.slice[1] - group.slice[0]) * slice_rows,
               stride = rows * bundle.k;
  const bool has_four = group.slice[slices - 1] != SliceGroup::none;
  const auto has = [&](const DeviceHead<D>& head) { return (head.lanes >> lane & 1u) != 0; };
  Bundle<D, width> sum[slices] = {};
  const DeviceHead<D>* const singles = heads + 3 * group.triples();
#pragma unroll 1
  for (const DeviceHead<D>* at = heads; at < singles; at += 3) {
    if (!has(*at)) continue;
    const D* const from = bundle.x + (first + at->base) * bundle.k;
    Bundle<D, width> w[loads] = {};
#pragma unroll
    for (int t = 0; t < loads; ++t)
      if (has_four || t + 1 < loads) w[t] = load_bundle<D, width>(from + t * stride);
#pragma unroll
    for (int d = 0; d < 3; ++d)
#pragma unroll
      for (int m = 0; m < slices; ++m) sum[m] = multiply_add(at[d].value, w[m + d], sum[m]);
  }
#pragma unroll 1
  for (const DeviceHead<D>* at = singles; at < heads + group.width(); ++at) {
    if (!has(*at)) continue;
    const D* const from = bundle.x + (first + at->base) * bundle.k;
    Bundle<D, width> w[slices] = {};
#pragma unroll
    for (int m = 0; m < slices; ++m)
      if (has_four || m + 1 < slices) w[m] = load_bundle<D, width>(from + m * stride);
#pragma unroll
    for (int m = 0; m < slices; ++m) sum[m] = multiply_add(at->value, w[m], sum[m]);
  }
#pragma unroll
  for (int m = 0; m < slices; ++m)
    if ((has_four || m + 1 < slices) && first + m * rows < all_rows) bundle.store(first + m * rows, sum[m]);
}

template <int width, class T>
__global__ void __launch_bounds__(multi_block_threads, 5)
    multiply_groups_columns_kernel(const PackedView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                   bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const patterns = reinterpret_cast<DeviceHead<D>*>(shared);
  for (int h = static_cast<int>(threadIdx.x); h < a.pattern_heads; h += multi_block_threads)
    patterns[h] = load_head(reinterpret_cast<const DeviceHead<D>*>(a.pattern) + h);
  wait_for_last();
  let_next_begin();
  __syncthreads();
  const int bundles = k / width, lane = static_cast<int>(threadIdx.x) % warp_size;
  const int together = warp_size / bundles;  // of a group's threads, in a warp
  if (lane / bundles >= together) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, lane % bundles);
  constexpr int warps = multi_block_threads / warp_size;
  const int parts = (threads_of_group + together - 1) / together;
  const auto warp = static_cast<lidx>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / warp_size;
  for (lidx p = warp; p < a.groups * parts; p += static_cast<lidx>(gridDim.x) * warps) {
    const SliceGroup* const at = a.group + p / parts;
    const SliceGroup group = load_group(at);
    const DeviceHead<D>* const heads = patterns + group.head_at;
    const int thread = p % parts * together + lane / bundles;
    if (thread >= threads_of_group) continue;
    if (group.triples() > 0) {
      multiply_lane(group, thread, heads, bundle, a.rows);
    } else if (const lidx slice = __ldg(at->slice + thread / quartets_of_slice); slice != SliceGroup::none) {
      Quartet<D, width> rows(bundle, slice, thread % quartets_of_slice);
      multiply_quartet(rows, heads, group.width(), a.rows);
    }
  }
}

template <int width, class T>
void launch_groups_columns(const PackedView<T>& view, const T* x, T* y, int k, Update update, void* stream) {
  constexpr auto kernel = multiply_groups_columns_kernel<width, T>;
  const std::size_t shared_bytes = static_cast<std::size_t>(view.pattern_heads) * sizeof(Head<T>);
  const lidx resident = std::max(1, resident_blocks<kernel>(multi_block_threads, shared_bytes));
  const offset all = static_cast<offset>(view.groups) * threads_of_group * (k / width);
  const auto blocks =
      static_cast<lidx>(std::min<offset>(resident, (all + multi_block_threads - 1) / multi_block_threads));
  launch_behind<kernel>(static_cast<unsigned>(blocks), multi_block_threads, shared_bytes,
                        static_cast<cudaStream_t>(stream), view, as_device(x), as_device(y), k,
                        update == Update::add);
}

}  // namespace spmv
