// One lane per block row. The warps that share a slice take turns with its columns, a batch at a time, and
// meet in shared memory.
#include <algorithm>
#include <cstddef>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "cuda_launch.hpp"
#include "kernels/device_value.cuh"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed.hpp"

namespace spmv {
namespace {

constexpr int most_block_threads = 512;
/// As for columns_cuda.cu: registers enough for all loads of a batch at once.
template <class T>
constexpr int blocks_per_multiprocessor = sizeof(T) > 8 ? 1 : 2;
/// Of the kernel that reads heads only.
constexpr int heads_block_threads = 256;
template <class T>
constexpr int heads_blocks_per_multiprocessor = sizeof(T) > 8 ? 2 : 4;
constexpr int batch = 8;  // slice columns of single elements: two groups of grouped_at()

/// Values in half their size back to what they were.
template <class D>
struct Widen {
  using Half = D;
  __device__ static D from(D half) { return half; }
};
template <>
struct Widen<double> {
  using Half = float;
  __device__ static double from(float half) { return half; }
};
template <>
struct Widen<double2> {
  using Half = float2;
  __device__ static double2 from(float2 half) { return {half.x, half.y}; }
};

__device__ __forceinline__ lidx byte_of(std::uint32_t word, int i) {
  return static_cast<lidx>((word >> (8 * i)) & 0xff);
}

/// The four 8-bit numbers of group `group` of a lane.
__device__ __forceinline__ std::uint32_t load_bytes(const unsigned char* at, offset group, int lane) {
  return __ldcs(reinterpret_cast<const std::uint32_t*>(at) + group * slice_rows + lane);
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

/// The head of slice column `first` + lane; behind the last one, of no lane.
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

/// Columns of slice columns j .. j + batch - 1, whose heads begin at `heads`; where a lane has no element
/// they mean nothing.
template <class D>
__device__ __forceinline__ void load_columns(const Slice& slice, const DeviceHead<D>* heads,
                                             const unsigned char* cols, lidx j, lidx length, int lane,
                                             lidx (&c)[batch]) {
  if (slice.columns() == ColumnKind::diagonals) {
#pragma unroll
    for (int u = 0; u < batch; ++u) c[u] = heads[u].base + lane;
  } else if (slice.columns() == ColumnKind::distance8) {
    std::uint32_t words[batch / 4];
#pragma unroll
    for (int g = 0; g < batch / 4; ++g) words[g] = j + 4 * g < length ? load_bytes(cols, j / 4 + g, lane) : 0;
#pragma unroll
    for (int u = 0; u < batch; ++u) c[u] = heads[u].base + byte_of(words[u / 4], u % 4);
  } else if (slice.columns() == ColumnKind::distance16) {
    uint2 words[batch / 4];
#pragma unroll
    for (int g = 0; g < batch / 4; ++g)
      words[g] = j + 4 * g < length
                     ? __ldcs(reinterpret_cast<const uint2*>(cols) + (j / 4 + g) * slice_rows + lane)
                     : uint2{0, 0};
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const std::uint32_t pair = u % 4 < 2 ? words[u / 4].x : words[u / 4].y;
      c[u] = heads[u].base + static_cast<lidx>(u % 2 == 0 ? pair & 0xffff : pair >> 16);
    }
  } else {
#pragma unroll
    for (int u = 0; u < batch; ++u)
      c[u] = j + u < length ? __ldcs(reinterpret_cast<const lidx*>(cols) + lone_at(j + u, lane)) : 0;
  }
}

/// Values of slice columns j .. j + batch - 1 of single elements, likewise. Every lane reads those `length`
/// first ones of its own.
template <class D>
__device__ __forceinline__ void load_values(const Slice& slice, const DeviceHead<D>* heads,
                                            const unsigned char* values, const D* __restrict__ dictionary,
                                            lidx j, lidx length, int lane, D (&v)[batch]) {
  using Half = typename Widen<D>::Half;
  if (slice.values() == ValueKind::constant) {
#pragma unroll
    for (int u = 0; u < batch; ++u) v[u] = heads[u].value;
  } else if (slice.values() == ValueKind::dictionary) {
    std::uint32_t words[batch / 4];
#pragma unroll
    for (int g = 0; g < batch / 4; ++g)
      words[g] = j + 4 * g < length ? load_bytes(values, j / 4 + g, lane) : 0;
#pragma unroll
    for (int u = 0; u < batch; ++u) v[u] = __ldg(dictionary + byte_of(words[u / 4], u % 4));
  } else if (slice.values() == ValueKind::half) {
#pragma unroll
    for (int u = 0; u < batch; ++u)
      v[u] = j + u < length
                 ? Widen<D>::from(__ldcs(reinterpret_cast<const Half*>(values) + lone_at(j + u, lane)))
                 : D{};
  } else {
#pragma unroll
    for (int u = 0; u < batch; ++u)
      v[u] = j + u < length ? __ldcs(reinterpret_cast<const D*>(values) + lone_at(j + u, lane)) : D{};
  }
}

/// Slice s, through the read-only path; behind the last one, a slice of width 0.
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

/// What a thread works at. Threads of a block: warps of part 0 of all its slices, then those of part 1, ...
struct Place {
  lidx group;  // of slices, one after the other
  int lane;
  int part;
  int local;  // thread among those of its part
  int width;  // threads of a part
};
__device__ __forceinline__ Place find_place(int threads_per_row) {
  const int width = static_cast<int>(blockDim.x) / threads_per_row;
  const int part = static_cast<int>(threadIdx.x) / width;
  const int local = static_cast<int>(threadIdx.x) - part * width;
  return {static_cast<lidx>(blockIdx.x) * (width / slice_rows), static_cast<int>(threadIdx.x) % slice_rows,
          part, local, width};
}

__device__ __forceinline__ offset row_of(lidx s, int lane) {
  return static_cast<offset>(s) * slice_rows + lane;
}

/// Slice columns that the lane reads: the elements of its block row, all of them where slice columns are
/// diagonals, 0 behind the last row.
template <class T>
__device__ __forceinline__ lidx find_length(const PackedView<T>& a, const Slice& slice, offset block_row) {
  if (slice.columns() == ColumnKind::diagonals || slice.even() || slice.width() == 0) return slice.width();
  return block_row < a.block_rows ? __ldg(a.row_length + block_row) : 0;
}

/// Adds up the parts' sums; true in the threads of part 0, which have the result. All threads of the block.
template <int count, class D>
__device__ __forceinline__ bool meet(const Place& place, int threads_per_row, D (&sum)[count], D* shared) {
  if (threads_per_row == 1) return true;
#pragma unroll
  for (int r = 0; r < count; ++r) {
    __syncthreads();  // what was there before has been read
    shared[threadIdx.x] = sum[r];
    __syncthreads();
    if (place.part == 0)
      for (int p = 1; p < threads_per_row; ++p) sum[r] = add(sum[r], shared[p * place.width + place.local]);
  }
  return place.part == 0;
}

/// The lane's sum over its part of a slice. `heads`: room of the warp for 32 heads; `mine` is the one that
/// the lane brings for the first 32 slice columns. `short_form`: diagonals of constant values, where heads
/// are all there is.
template <bool short_form, bool has_first, class T, class D>
__device__ __forceinline__ D multiply_slice(const PackedView<T>& a, const Slice& slice, const Place& place,
                                            lidx length, DeviceHead<D> mine, DeviceHead<D>* heads,
                                            const D* __restrict__ x) {
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  D sum{};
  lidx first = -slice_rows;  // the slice column whose head is the first in `heads`
#pragma unroll 1
  for (lidx j = place.part * batch; j < slice.width(); j += a.threads_per_row * batch) {
    if (j - first >= slice_rows) {
      first = j / slice_rows * slice_rows;
      if (first > 0 || !has_first) mine = load_lane_head(slice, all_heads, first, place.lane);
      __syncwarp();
      heads[place.lane] = mine;
      __syncwarp();
    }
    const DeviceHead<D>* const batch_heads = heads + (j - first);
    D w[batch];
    if constexpr (short_form) {
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (batch_heads[u].lanes >> place.lane & 1u) w[u] = __ldg(x + batch_heads[u].base + place.lane);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (batch_heads[u].lanes >> place.lane & 1u) sum = multiply_add(batch_heads[u].value, w[u], sum);
    } else {
      lidx c[batch];
      D v[batch];
      load_columns(slice, batch_heads, cols, j, length, place.lane, c);
      load_values(slice, batch_heads, values, as_device(a.dictionary), j, length, place.lane, v);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (has_element(slice, batch_heads[u], j + u, length, place.lane)) w[u] = __ldg(x + c[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (has_element(slice, batch_heads[u], j + u, length, place.lane))
          sum = multiply_add(v[u], w[u], sum);
    }
  }
  return sum;
}

/// Any slices.
template <class T>
__global__ void __launch_bounds__(most_block_threads, blocks_per_multiprocessor<T>)
    multiply_packed_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                           DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> shared_heads[most_block_threads];
  DeviceHead<D>* const heads = shared_heads + threadIdx.x / slice_rows * slice_rows;
  const Place place = find_place(a.threads_per_row);
  const lidx s = place.group + place.local / slice_rows;
  const offset row = row_of(s, place.lane);
  const Slice slice = load_slice(a.slice, s, a.slices);
  const lidx length = find_length(a, slice, row);
  D sum[1];
  if (slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant)
    sum[0] = multiply_slice<true, false>(a, slice, place, length, DeviceHead<D>{}, heads, x);
  else
    sum[0] = multiply_slice<false, false>(a, slice, place, length, DeviceHead<D>{}, heads, x);
  if (meet(place, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes)) && row < a.rows)
    store_row(y, a.row_list, row, sum[0], add_to_y);
}

/// Slices whose heads are all there is. Every thread block goes on to further ones; while it works at one,
/// the next one's heads are on their way, and the description of the one after that: what is left to wait for
/// is x.
template <class T>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    multiply_heads_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                          DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> shared_heads[heads_block_threads];
  DeviceHead<D>* const heads = shared_heads + threadIdx.x / slice_rows * slice_rows;
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const Place place = find_place(a.threads_per_row);
  const lidx step = static_cast<lidx>(gridDim.x) * (place.width / slice_rows);
  lidx s = place.group + place.local / slice_rows;
  Slice slice = load_slice(a.slice, s, a.slices);
  Slice next = load_slice(a.slice, s + step, a.slices);
  DeviceHead<D> mine = load_lane_head(slice, all_heads, 0, place.lane);
  for (lidx group = place.group; group < a.slices; group += step) {  // the same number of times in all warps
    const Slice after_next = load_slice(a.slice, s + 2 * step, a.slices);
    const DeviceHead<D> next_mine = load_lane_head(next, all_heads, 0, place.lane);
    D sum[1] = {multiply_slice<true, true>(a, slice, place, 0, mine, heads, x)};
    const offset row = row_of(s, place.lane);
    if (meet(place, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes)) && row < a.rows)
      store_row(y, a.row_list, row, sum[0], add_to_y);
    s += step;
    slice = next;
    next = after_next;
    mine = next_mine;
  }
}

/// Column of block j of a lane, whose head this is.
template <class D>
__device__ __forceinline__ lidx load_block_column(const Slice& slice, const DeviceHead<D>& head,
                                                  const unsigned char* cols, lidx j, int lane) {
  switch (slice.columns()) {
    case ColumnKind::diagonals:
      return head.base + lane;
    case ColumnKind::distance8:
      return head.base + __ldcs(cols + grouped_at(j, lane));
    case ColumnKind::distance16:
      return head.base + __ldcs(reinterpret_cast<const std::uint16_t*>(cols) + grouped_at(j, lane));
    default:
      return __ldcs(reinterpret_cast<const lidx*>(cols) + lone_at(j, lane));
  }
}

/// Base and lanes of the head alone: blocks have no constant values.
template <class D>
__device__ __forceinline__ DeviceHead<D> load_block_head(const DeviceHead<D>* at) {
  const uint2 words = __ldg(reinterpret_cast<const uint2*>(at));
  return {static_cast<lidx>(words.x), words.y, D{}};
}

/// Value at `at`, in units of the kind's size.
template <ValueKind kind, class D>
__device__ __forceinline__ D load_block_value(const unsigned char* values, const D* __restrict__ dictionary,
                                              offset at) {
  if constexpr (kind == ValueKind::dictionary)
    return __ldg(dictionary + __ldcs(values + at));
  else if constexpr (kind == ValueKind::half)
    return Widen<D>::from(__ldcs(reinterpret_cast<const typename Widen<D>::Half*>(values) + at));
  else
    return __ldcs(reinterpret_cast<const D*>(values) + at);
}

__device__ __forceinline__ bool is_hole(float value) {
  return __float_as_uint(value) == 0x7fe5a5a5u;
}
__device__ __forceinline__ bool is_hole(double value) {
  return __double_as_longlong(value) == 0x7ffca5a5a5a5a5a5ll;
}
template <class Pair>
__device__ __forceinline__ bool is_hole(Pair value) {
  return is_hole(value.x) && is_hole(value.y);
}

template <int b, bool holes, ValueKind kind, class T, class D>
__device__ __forceinline__ void add_blocks(const PackedView<T>& a, const Slice& slice, const Place& place,
                                           lidx length, const D* __restrict__ x, D (&sum)[b]) {
  constexpr int blocks = b < 3 ? 4 : b == 3 ? 2 : 1;  // in flight together
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const D* const dictionary = as_device(a.dictionary);
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
#pragma unroll 1
  for (lidx j = place.part * blocks; j < length; j += a.threads_per_row * blocks) {
    offset c[blocks];
    bool present[blocks];
#pragma unroll
    for (int u = 0; u < blocks; ++u) {
      const lidx at = min(j + u, length - 1);
      const DeviceHead<D> head = load_block_head(heads + at);
      const bool there = has_element(slice, head, at, length, place.lane);
      present[u] = there && j + u < length;
      c[u] = there ? static_cast<offset>(load_block_column(slice, head, cols, at, place.lane)) * b : 0;
    }
    D v[blocks][b * b];
    D w[blocks][b];
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        v[u][k] = load_block_value<kind>(
            values, dictionary,
            lone_at(static_cast<offset>(min(j + u, length - 1)) * (b * b) + k, place.lane));
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int i = 0; i < b; ++i) w[u][i] = !holes || c[u] + i < a.cols ? __ldg(x + c[u] + i) : D{};
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        if (present[u] && (!holes || !is_hole(v[u][k])))
          sum[k / b] = multiply_add(v[u][k], w[u][k % b], sum[k / b]);
  }
}

template <int b>
constexpr int block_kernel_threads = b > 3 ? 256 : 512;

template <int b, bool holes, class T>
__global__ void __launch_bounds__(block_kernel_threads<b>, b > 3 ? 2 : 1)
    multiply_blocks_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                           DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Place place = find_place(a.threads_per_row);
  const lidx s = place.group + place.local / slice_rows;
  const offset block_row = row_of(s, place.lane);
  D sum[b] = {};
  {
    const Slice slice = load_slice(a.slice, s, a.slices);
    const lidx length = find_length(a, slice, block_row);
    switch (slice.values()) {
      case ValueKind::dictionary:
        add_blocks<b, holes, ValueKind::dictionary>(a, slice, place, length, x, sum);
        break;
      case ValueKind::half:
        add_blocks<b, holes, ValueKind::half>(a, slice, place, length, x, sum);
        break;
      default:
        add_blocks<b, holes, ValueKind::full>(a, slice, place, length, x, sum);
        break;
    }
  }
  if (!meet(place, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes))) return;
#pragma unroll
  for (int i = 0; i < b; ++i) {
    const offset row = block_row * b + i;
    if (row < a.rows) store_row(y, a.row_list, row, sum[i], add_to_y);
  }
}

int multiprocessors() {
  int device = 0, count = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "count multiprocessors");
  return count;
}

/// `most_blocks`: of a kernel whose thread blocks go on to further slices, 0 for one that does not.
template <class T, class Kernel>
void launch(Kernel kernel, PackedView<T> view, int most_threads, offset most_blocks, const T* x, T* y,
            Update update, cudaStream_t stream) {
  const int threads = view.threads_per_block < most_threads ? view.threads_per_block : most_threads;
  const int warps = threads / slice_rows;
  view.threads_per_row = view.threads_per_row < warps ? view.threads_per_row : warps;
  const int slices = warps / view.threads_per_row;
  const std::size_t shared = view.threads_per_row > 1 ? threads * sizeof(T) : 0;
  const offset blocks = (static_cast<offset>(view.slices) + slices - 1) / slices;
  kernel<<<static_cast<unsigned>(most_blocks > 0 && most_blocks < blocks ? most_blocks : blocks), threads,
           shared, stream>>>(view, as_device(x), as_device(y), update == Update::add);
}

template <class T>
void launch_elements(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (!view.only_heads)
    return launch(multiply_packed_kernel<T>, view, most_block_threads, 0, x, y, update, stream);
  const int per_multiprocessor = heads_blocks_per_multiprocessor<T> * heads_block_threads /
                                 std::min(view.threads_per_block, heads_block_threads);
  launch(multiply_heads_kernel<T>, view, heads_block_threads, offset{multiprocessors()} * per_multiprocessor,
         x, y, update, stream);
}

template <int b, class T>
void launch_blocks(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (view.holes)
    launch(multiply_blocks_kernel<b, true, T>, view, block_kernel_threads<b>, 0, x, y, update, stream);
  else
    launch(multiply_blocks_kernel<b, false, T>, view, block_kernel_threads<b>, 0, x, y, update, stream);
}

template <class T>
__global__ void classify_kernel(Classify<T> step) {
  const lidx s = static_cast<lidx>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s < step.slices) step.slice[s] = classify_slice(step.source, s);
}
template <class T>
__global__ void make_heads_kernel(MakeHeads<T> step) {
  const lidx s = static_cast<lidx>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s < step.slices) make_slice_heads(step.source, s, step.slice[s], step.head);
}
template <class T>
__global__ void pack_rows_kernel(PackRows<T> step) {
  const offset row = static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < step.source.block_rows) pack_row(step, row);
}

/// One warp per slice.
template <class T>
__global__ void unpack_kernel(Unpack<T> step) {
  using D = DeviceValue<T>;
  const PackedView<T>& a = step.view;
  const auto s = static_cast<lidx>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  const Slice slice = load_slice(a.slice, s, a.slices);
  const offset row = row_of(s, lane);
  const lidx length = find_length(a, slice, row);
  const unsigned char* const values = a.value + slice.value_begin();
  const D* const dictionary = as_device(a.dictionary);
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
  lidx done = 0;  // elements of the lane
  for (lidx first = 0; first < slice.width(); first += batch) {
    DeviceHead<D> batch_heads[batch];
    for (int u = 0; u < batch; ++u)
      batch_heads[u] = load_lane_head(slice, heads - slice.head_at, first + u, 0);
    lidx c[batch];
    D v[batch];
    load_columns(slice, batch_heads, a.col + slice.col_begin(), first, length, lane, c);
    if (a.b == 1) load_values(slice, batch_heads, values, dictionary, first, length, lane, v);
    for (int u = 0; u < batch; ++u) {
      const lidx j = first + u;
      if (row >= a.block_rows || j >= length || !has_element(slice, batch_heads[u], j, length, lane))
        continue;
      const offset to = step.row_ptr[row] + done++;
      step.col[to] =
          a.b == 1 ? c[u] : load_block_column(slice, batch_heads[u], a.col + slice.col_begin(), j, lane);
      D* const out = as_device(step.value) + to * a.b * a.b;
      if (a.b == 1) *out = v[u];
      for (int k = 0; a.b > 1 && k < a.b * a.b; ++k) {
        const offset at = lone_at(static_cast<offset>(j) * a.b * a.b + k, lane);
        out[k] = slice.values() == ValueKind::dictionary
                     ? load_block_value<ValueKind::dictionary>(values, dictionary, at)
                 : slice.values() == ValueKind::half
                     ? load_block_value<ValueKind::half>(values, dictionary, at)
                     : load_block_value<ValueKind::full>(values, dictionary, at);
      }
    }
  }
}

constexpr int build_threads = 128;
unsigned build_blocks(offset items) {
  return static_cast<unsigned>((items + build_threads - 1) / build_threads);
}

template <class T>
void launch_step(const Classify<T>& step, cudaStream_t stream) {
  if (step.slices > 0) classify_kernel<<<build_blocks(step.slices), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const MakeHeads<T>& step, cudaStream_t stream) {
  if (step.slices > 0) make_heads_kernel<<<build_blocks(step.slices), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const PackRows<T>& step, cudaStream_t stream) {
  if (step.source.block_rows > 0)
    pack_rows_kernel<<<build_blocks(step.source.block_rows), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const Unpack<T>& step, cudaStream_t stream) {
  if (step.view.slices > 0) unpack_kernel<<<step.view.slices, slice_rows, 0, stream>>>(step);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  using T = typename View::Value;
  if (view.rows == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  switch (view.b) {
    case 1:
      launch_elements(view, x, y, update, cuda_stream);
      break;
    case 2:
      launch_blocks<2>(view, x, y, update, cuda_stream);
      break;
    case 3:
      launch_blocks<3>(view, x, y, update, cuda_stream);
      break;
    case 4:
      launch_blocks<4>(view, x, y, update, cuda_stream);
      break;
    case 5:
      launch_blocks<5>(view, x, y, update, cuda_stream);
      break;
    default:
      launch_blocks<6>(view, x, y, update, cuda_stream);
      break;
  }
  cuda_check(cudaGetLastError(), "launch packed SELL (packed_cuda.cu)");
}

template <class Step>
void launch_build_cuda(const Step& step, void* stream) {
  launch_step(step, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "pack SELL (packed_cuda.cu)");
}

template void launch_cuda(const PackedView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const PackedView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const PackedView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const PackedView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);
template void launch_build_cuda(const Classify<float>&, void*);
template void launch_build_cuda(const Classify<double>&, void*);
template void launch_build_cuda(const Classify<std::complex<float>>&, void*);
template void launch_build_cuda(const Classify<std::complex<double>>&, void*);
template void launch_build_cuda(const MakeHeads<float>&, void*);
template void launch_build_cuda(const MakeHeads<double>&, void*);
template void launch_build_cuda(const MakeHeads<std::complex<float>>&, void*);
template void launch_build_cuda(const MakeHeads<std::complex<double>>&, void*);
template void launch_build_cuda(const PackRows<float>&, void*);
template void launch_build_cuda(const PackRows<double>&, void*);
template void launch_build_cuda(const PackRows<std::complex<float>>&, void*);
template void launch_build_cuda(const PackRows<std::complex<double>>&, void*);
template void launch_build_cuda(const Unpack<float>&, void*);
template void launch_build_cuda(const Unpack<double>&, void*);
template void launch_build_cuda(const Unpack<std::complex<float>>&, void*);
template void launch_build_cuda(const Unpack<std::complex<double>>&, void*);

}  // namespace spmv
