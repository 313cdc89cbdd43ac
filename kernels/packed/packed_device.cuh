// How the device reads packed slices, and how their kernels are launched.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/stored_value.cuh"
#include "kernels/parts/summed_rows.cuh"

namespace spmv {

constexpr int batch = 8;  // slice columns of single elements: two groups of grouped_at()

__device__ __forceinline__ lidx byte_of(std::uint32_t word, int i) {
  return static_cast<lidx>((word >> (8 * i)) & 0xff);
}

/// The four 8-bit numbers of group `group` of a lane.
__device__ __forceinline__ std::uint32_t load_bytes(const ReadOnce& once, const unsigned char* at,
                                                    offset group, int lane) {
  return once.load(reinterpret_cast<const std::uint32_t*>(at) + group * slice_rows + lane);
}

/// A head as the device sees it: 16 bytes, or 32 for complex_double.
template <class D>
struct alignas(16) DeviceHead {
  lidx base;
  std::uint32_t lanes;
  D value;
};

static_assert(sizeof(DeviceHead<double>) == sizeof(Head<double>) &&
              sizeof(DeviceHead<float>) == sizeof(Head<float>) &&
              sizeof(DeviceHead<double2>) == sizeof(Head<std::complex<double>>));
static_assert(offsetof(DeviceHead<double2>, value) == 16 && offsetof(DeviceHead<float2>, value) == 8);

/// One word of 16 bytes after the other.
template <class D>
__device__ __forceinline__ DeviceHead<D> load_head(const DeviceHead<D>* at) {
  union Words {
    __device__ Words() {}
    uint4 word[sizeof(DeviceHead<D>) / sizeof(uint4)];
    DeviceHead<D> head;
  } words;
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(DeviceHead<D>) / sizeof(uint4)); ++w)
    words.word[w] = __ldg(reinterpret_cast<const uint4*>(at) + w);
  return words.head;
}

/// The head of slice column `first` + lane; after the last one, of no lane.
template <class D>
__device__ __forceinline__ DeviceHead<D> load_lane_head(const Slice& slice, const DeviceHead<D>* heads,
                                                        lidx first, int lane) {
  if (first + lane >= slice.width()) return {};
  return load_head(heads + slice.head_at + first + lane);
}

/// Whether the lane has an element in slice column j.
template <class D>
__device__ __forceinline__ bool has_element(const Slice& slice, const DeviceHead<D>& head, lidx j,
                                            lidx length, int lane) {
  return slice.columns() == ColumnKind::diagonals ? (head.lanes >> lane & 1u) != 0 : j < length;
}

/// Columns of slice columns j .. j + count - 1, whose heads begin at `heads`; where a lane has no element
/// they mean nothing. `count`: whole groups of four.
template <class D, int count>
__device__ __forceinline__ void load_columns(const ReadOnce& once, const Slice& slice,
                                             const DeviceHead<D>* heads, const unsigned char* cols, lidx j,
                                             lidx length, int lane, lidx (&c)[count]) {
  if (slice.columns() == ColumnKind::diagonals) {
#pragma unroll
    for (int u = 0; u < count; ++u) c[u] = heads[u].base + lane;
  } else if (slice.columns() == ColumnKind::distance8) {
    std::uint32_t words[count / 4];
#pragma unroll
    for (int g = 0; g < count / 4; ++g)
      words[g] = j + 4 * g < length ? load_bytes(once, cols, j / 4 + g, lane) : 0;
#pragma unroll
    for (int u = 0; u < count; ++u) c[u] = heads[u].base + byte_of(words[u / 4], u % 4);
  } else if (slice.columns() == ColumnKind::distance16) {
    uint2 words[count / 4];
#pragma unroll
    for (int g = 0; g < count / 4; ++g)
      words[g] = j + 4 * g < length
                     ? once.load(reinterpret_cast<const uint2*>(cols) + (j / 4 + g) * slice_rows + lane)
                     : uint2{0, 0};
#pragma unroll
    for (int u = 0; u < count; ++u) {
      const std::uint32_t pair = u % 4 < 2 ? words[u / 4].x : words[u / 4].y;
      c[u] = heads[u].base + static_cast<lidx>(u % 2 == 0 ? pair & 0xffff : pair >> 16);
    }
  } else {
#pragma unroll
    for (int u = 0; u < count; ++u)
      c[u] = j + u < length ? once.load(reinterpret_cast<const lidx*>(cols) + lone_at(j + u, lane)) : 0;
  }
}

/// Values of slice columns j .. j + count - 1 of single elements. Every lane reads those of its first `length` elements.
template <class D, int count>
__device__ __forceinline__ void load_values(const ReadOnce& once, const Slice& slice,
                                            const DeviceHead<D>* heads, const unsigned char* values,
                                            const D* __restrict__ dictionary, lidx j, lidx length, int lane,
                                            D (&v)[count]) {
  using Half = typename Widen<D>::Half;
  if (slice.values() == ValueKind::constant) {
#pragma unroll
    for (int u = 0; u < count; ++u) v[u] = heads[u].value;
  } else if (slice.values() == ValueKind::dictionary) {
    std::uint32_t words[count / 4];
#pragma unroll
    for (int g = 0; g < count / 4; ++g)
      words[g] = j + 4 * g < length ? load_bytes(once, values, j / 4 + g, lane) : 0;
#pragma unroll
    for (int u = 0; u < count; ++u) v[u] = __ldg(dictionary + byte_of(words[u / 4], u % 4));
  } else if (slice.values() == ValueKind::half) {
#pragma unroll
    for (int u = 0; u < count; ++u)
      v[u] = j + u < length
                 ? Widen<D>::from(once.load(reinterpret_cast<const Half*>(values) + lone_at(j + u, lane)))
                 : D{};
  } else {
#pragma unroll
    for (int u = 0; u < count; ++u)
      v[u] = j + u < length ? once.load(reinterpret_cast<const D*>(values) + lone_at(j + u, lane)) : D{};
  }
}

/// Slice s, through the read-only path; after the last one, a slice of width 0.
__device__ __forceinline__ Slice load_slice(const Slice* __restrict__ slices, lidx s, lidx count) {
  static_assert(sizeof(Slice) == sizeof(uint4), "a slice is one load");
  if (s >= count) return {};
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(slices) + s);
  Slice slice;
  slice.head_at = words.x;
  slice.col_at = words.y;
  slice.value_at = words.z;
  slice.shape = words.w;
  return slice;
}

/// What a thread of thread block number `block` works at. threads_per_row warps share a slice; each takes a
/// part of its slice columns. A thread block has first the warps of part 0 of all its slices, then those of
/// part 1, and so on.
struct ThreadWork {
  lidx group;  // the first of the thread block's slices, which follow each other
  int lane;    // of the slice
  int part;
  int local;  // number of this thread among those of its part
  int width;  // threads of a part
};
__device__ __forceinline__ ThreadWork find_work(lidx block, int threads_per_row) {
  const int width = static_cast<int>(blockDim.x) / threads_per_row;
  const int part = static_cast<int>(threadIdx.x) / width;
  const int local = static_cast<int>(threadIdx.x) - part * width;
  return {block * (width / slice_rows), static_cast<int>(threadIdx.x) % slice_rows, part, local, width};
}

__device__ __forceinline__ offset row_of(lidx s, int lane) {
  return static_cast<offset>(s) * slice_rows + lane;
}

/// Slice columns that the lane reads: the elements of its block row, all of them where slice columns are
/// diagonals, 0 after the last row.
template <class T>
__device__ __forceinline__ lidx find_length(const PackedView<T>& a, const Slice& slice, offset block_row) {
  if (slice.columns() == ColumnKind::diagonals || slice.even() || slice.width() == 0) return slice.width();
  return block_row < a.block_rows ? __ldg(a.row_length + block_row) : 0;
}

/// Adds up the parts' sums; true in the threads of part 0, which have the result. Called by all threads of
/// the block. `shared`: shared memory for an element of each thread.
template <int count, class D>
__device__ __forceinline__ bool meet(const ThreadWork& work, int threads_per_row, D (&sum)[count],
                                     D* shared) {
  if (threads_per_row == 1) return true;
#pragma unroll
  for (int r = 0; r < count; ++r) {
    __syncthreads();  // what was there before has been read
    shared[threadIdx.x] = sum[r];
    __syncthreads();
    if (work.part == 0)
      for (int p = 1; p < threads_per_row; ++p) sum[r] = add(sum[r], shared[p * work.width + work.local]);
  }
  return work.part == 0;
}

/// Column of block j of a lane, whose head this is.
template <class D>
__device__ __forceinline__ lidx load_block_column(const ReadOnce& once, const Slice& slice,
                                                  const DeviceHead<D>& head, const unsigned char* cols,
                                                  lidx j, int lane) {
  switch (slice.columns()) {
    case ColumnKind::diagonals:
      return head.base + lane;
    case ColumnKind::distance8:
      return head.base + once.load(cols + grouped_at(j, lane));
    case ColumnKind::distance16:
      return head.base + once.load(reinterpret_cast<const std::uint16_t*>(cols) + grouped_at(j, lane));
    default:
      return once.load(reinterpret_cast<const lidx*>(cols) + lone_at(j, lane));
  }
}

/// Base and lanes of the head alone: blocks have no constant values.
template <class D>
__device__ __forceinline__ DeviceHead<D> load_block_head(const DeviceHead<D>* at) {
  const uint2 words = __ldg(reinterpret_cast<const uint2*>(at));
  return {static_cast<lidx>(words.x), words.y, D{}};
}

__device__ __forceinline__ bool is_hole(float value) {
  return __float_as_uint(value) == hole_bits_of_float;
}
__device__ __forceinline__ bool is_hole(double value) {
  return static_cast<std::uint64_t>(__double_as_longlong(value)) == hole_bits_of_double;
}
template <class Pair>
__device__ __forceinline__ bool is_hole(Pair value) {
  return is_hole(value.x) && is_hole(value.y);
}

/// `most_blocks`: of a kernel whose thread blocks go on to further slices, 0 for one that does not.
/// Rows go to `y`, a pointer or SummedRows. Returns the number of thread blocks.
template <auto kernel, class T, class Rows>
int launch(PackedView<T> view, int most_threads, offset most_blocks, const T* x, const Rows& y, bool add_to_y,
           cudaStream_t stream) {
  const int threads = view.threads_per_block < most_threads ? view.threads_per_block : most_threads;
  const int warps = threads / slice_rows;
  view.threads_per_row = view.threads_per_row < warps ? view.threads_per_row : warps;
  const int slices = warps / view.threads_per_row;
  const std::size_t shared = view.threads_per_row > 1 ? threads * sizeof(T) : 0;
  const offset needed = (static_cast<offset>(view.slices) + slices - 1) / slices;
  const auto blocks = static_cast<int>(most_blocks > 0 && most_blocks < needed ? most_blocks : needed);
  launch_behind<kernel>(static_cast<unsigned>(blocks), threads, shared, stream, view, as_device(x), y,
                        add_to_y);
  return blocks;
}

/// Queues the product of a view with b > 1. Returns the number of thread blocks.
template <class T>
int launch_packed_blocks(const PackedView<T>& view, const T* x, const SummedRows<T>& rows, Update update,
                         cudaStream_t stream);

}  // namespace spmv
