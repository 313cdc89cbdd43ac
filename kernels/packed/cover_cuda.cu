// The steps of covering a block with b x b blocks.
#include <cub/device/device_segmented_sort.cuh>
#include <cuda/std/limits>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/cover.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed_device.cuh"
#include "kernels/parts/warp_least.cuh"

namespace spmv {
namespace {

constexpr int threads_per_block = 256;
constexpr int threads_of_a_row = 8;
unsigned blocks_for(offset threads) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}
__device__ offset thread_of_grid() {
  return static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <class T>
__global__ void list_keys_kernel(ListKeys<T> step) {
  const KeyBatch& batch = step.batch;
  const BlockRows& rows = batch.block_rows;
  const offset row = static_cast<offset>(batch.first) * rows.b + thread_of_grid() / threads_of_a_row;
  if (row >= static_cast<offset>(batch.last) * rows.b || row >= rows.rows) return;
  const offset from = step.from.begin(row);
  const offset length = step.from.end(row) - from;
  lidx* const to = batch.key + (rows.row_ptr[row] - batch.base());
  for (offset j = thread_of_grid() % threads_of_a_row; j < length; j += threads_of_a_row)
    to[j] = step.from.column(from + j) / rows.b;
}

/// A warp sorts the keys of a block row in its registers if they are so few,
constexpr int keys_of_a_lane = 8;
constexpr offset most_in_registers = keys_of_a_lane * slice_rows;
/// and up to so many by looking through all of them for every one that it writes. CUB sorts more.
constexpr offset most_of_a_warp = 1024;
constexpr lidx no_key = cuda::std::numeric_limits<lidx>::max();  // no column / b

/// Writes the keys of a block row, `begin` to `end` of the batch: again and again least_above(last), which is no_key where
/// there are no more.
template <class LeastAbove>
__device__ void write_ascending(const SortKeys& step, offset begin, offset end, LeastAbove least_above) {
  const int lane = static_cast<int>(threadIdx.x % slice_rows);
  offset at = begin;
  lidx last = -1;
  for (lidx key = least_above(last); key != no_key; key = least_above(last)) {
    if (lane == 0) step.sorted[at] = key;
    last = key;
    ++at;
  }
  for (offset k = at + lane; k < end; k += slice_rows) step.sorted[k] = last;
}

/// One warp for each block row that has so few keys.
__global__ void sort_by_warps_kernel(SortKeys step) {
  const KeyBatch& batch = step.batch;
  const offset r = batch.first + thread_of_grid() / slice_rows;
  if (r >= batch.last) return;
  const int lane = static_cast<int>(threadIdx.x % slice_rows);
  const offset begin = batch.block_rows.begin(r) - batch.base();
  const offset end = batch.block_rows.begin(r + 1) - batch.base();
  if (end == begin || end - begin > most_of_a_warp) return;
  if (end - begin > most_in_registers) {
    write_ascending(step, begin, end, [&](lidx last) {
      lidx least = no_key;
      for (offset k = begin + lane; k < end; k += slice_rows)
        if (batch.key[k] > last) least = min(least, batch.key[k]);
      return warp_least(least);
    });
    return;
  }
  lidx key[keys_of_a_lane];
#pragma unroll
  for (int i = 0; i < keys_of_a_lane; ++i) {
    const offset k = begin + i * slice_rows + lane;
    key[i] = k < end ? batch.key[k] : no_key;
  }
  write_ascending(step, begin, end, [&](lidx last) {
    lidx least = no_key;
#pragma unroll
    for (int i = 0; i < keys_of_a_lane; ++i)
      if (key[i] > last) least = min(least, key[i]);
    return warp_least(least);
  });
}

/// Where the keys of block rows begin, or end, that have more; others count as empty.
struct ManyKeys {
  KeyBatch batch;
  bool ends;
  __device__ offset operator()(lidx r) const {
    const offset begin = batch.block_rows.begin(r) - batch.base();
    const offset end = batch.block_rows.begin(static_cast<offset>(r) + 1) - batch.base();
    return ends && end - begin > most_of_a_warp ? end : begin;
  }
};

/// One warp for each block row: calls take(number, key) in every lane that has the first of some equal keys. `number` counts
/// such keys over all lanes. Returns how many there are.
template <class Take>
__device__ lidx for_each_distinct(const KeyBatch& batch, lidx r, Take take) {
  const int lane = static_cast<int>(threadIdx.x % slice_rows);
  const offset begin = batch.block_rows.begin(r) - batch.base();
  const offset end = batch.block_rows.begin(static_cast<offset>(r) + 1) - batch.base();
  lidx before = 0;
  for (offset first = begin; first < end; first += slice_rows) {
    const offset k = first + lane;
    const bool is_first = k < end && (k == begin || batch.key[k] != batch.key[k - 1]);
    const unsigned firsts = __ballot_sync(~0u, is_first);
    if (is_first) take(before + __popc(firsts & ((1u << lane) - 1)), batch.key[k]);
    before += __popc(firsts);
  }
  return before;
}

__global__ void count_keys_kernel(CountKeys step) {
  const offset r = step.batch.first + thread_of_grid() / slice_rows;
  if (r >= step.batch.last) return;
  const lidx count = for_each_distinct(step.batch, static_cast<lidx>(r), [](lidx, lidx) {});
  if (threadIdx.x % slice_rows == 0) step.count[r - step.batch.first] = count;
}

__global__ void take_keys_kernel(TakeKeys step) {
  const offset r = step.batch.first + thread_of_grid() / slice_rows;
  if (r >= step.batch.last) return;
  lidx* const to = step.col + step.row_ptr[r];
  for_each_distinct(step.batch, static_cast<lidx>(r), [to](lidx number, lidx key) { to[number] = key; });
}

template <class T>
__global__ void fill_holes_kernel(FillHoles<T> step, T hole) {
  const offset k = thread_of_grid();
  if (k < step.count) as_device(step.value)[k] = *as_device(&hole);
}

template <class T>
__global__ void place_values_kernel(PlaceValues<T> step, T hole) {
  const offset row = thread_of_grid() / threads_of_a_row;
  if (row >= step.from.rows) return;
  const int b = step.b;
  const offset r = row / b;
  const lidx* const cols = step.col + step.row_ptr[r];
  const auto count = static_cast<lidx>(step.row_ptr[r + 1] - step.row_ptr[r]);
  T* const to = step.value + step.row_ptr[r] * b * b + row % b * b;
  for (offset k = step.from.begin(row) + thread_of_grid() % threads_of_a_row; k < step.from.end(row);
       k += threads_of_a_row) {
    const lidx col = step.from.column(k);
    lidx low = 0, high = count - 1;
    while (low < high) {
      const lidx middle = low + (high - low) / 2;
      if (cols[middle] < col / b)
        low = middle + 1;
      else
        high = middle;
    }
    as_device(to)[static_cast<offset>(low) * b * b + col % b] = as_device(step.from.value)[k];
    if (bits_of(step.from.value[k]) == bits_of(hole)) *step.hole_met = 1;
  }
}

template <class T>
void launch_step(const ListKeys<T>& step, cudaStream_t stream) {
  const offset rows = static_cast<offset>(step.batch.last - step.batch.first) * step.batch.block_rows.b;
  if (rows > 0) list_keys_kernel<<<blocks_for(rows * threads_of_a_row), threads_per_block, 0, stream>>>(step);
}
void launch_step(const CountKeys& step, cudaStream_t stream) {
  const offset rows = step.batch.last - step.batch.first;
  if (rows > 0) count_keys_kernel<<<blocks_for(rows * slice_rows), threads_per_block, 0, stream>>>(step);
}
void launch_step(const TakeKeys& step, cudaStream_t stream) {
  const offset rows = step.batch.last - step.batch.first;
  if (rows > 0) take_keys_kernel<<<blocks_for(rows * slice_rows), threads_per_block, 0, stream>>>(step);
}
template <class T>
void launch_step(const FillHoles<T>& step, cudaStream_t stream) {
  if (step.count > 0)
    fill_holes_kernel<<<blocks_for(step.count), threads_per_block, 0, stream>>>(step, hole<T>());
}
template <class T>
void launch_step(const PlaceValues<T>& step, cudaStream_t stream) {
  const offset rows = step.from.rows;
  if (rows > 0)
    place_values_kernel<<<blocks_for(rows * threads_of_a_row), threads_per_block, 0, stream>>>(step,
                                                                                               hole<T>());
}

/// CUB's sort of block rows with many keys, or with scratch nullptr how many bytes that needs.
std::size_t sort_many(const SortKeys& step, void* scratch, std::size_t bytes, cudaStream_t stream) {
  const thrust::counting_iterator<lidx> first(step.batch.first);
  const auto begin = thrust::make_transform_iterator(first, ManyKeys{step.batch, false});
  const auto end = thrust::make_transform_iterator(first, ManyKeys{step.batch, true});
  cuda_check(cub::DeviceSegmentedSort::SortKeys(scratch, bytes, step.batch.key, step.sorted,
                                                static_cast<int>(step.keys),
                                                step.batch.last - step.batch.first, begin, end, stream),
             "sort block columns (cover_cuda.cu)");
  return bytes;
}
void launch_step(const SortKeys& step, cudaStream_t stream) {
  const offset rows = step.batch.last - step.batch.first;
  if (rows > 0) sort_by_warps_kernel<<<blocks_for(rows * slice_rows), threads_per_block, 0, stream>>>(step);
  if (step.most_keys > most_of_a_warp) sort_many(step, step.scratch, step.scratch_bytes, stream);
}

}  // namespace

std::size_t sort_scratch_bytes(const SortKeys& step) {
  return step.most_keys > most_of_a_warp ? sort_many(step, nullptr, 0, nullptr) : 0;
}

template <class Step>
void launch_build_cuda(const Step& step, void* stream) {
  launch_step(step, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "cover with blocks (cover_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_build_cuda, ListKeys);
SPMV_INSTANTIATE_WITH(launch_build_cuda, FillHoles);
SPMV_INSTANTIATE_WITH(launch_build_cuda, PlaceValues);
template void launch_build_cuda(const SortKeys& step, void* stream);
template void launch_build_cuda(const CountKeys& step, void* stream);
template void launch_build_cuda(const TakeKeys& step, void* stream);

}  // namespace spmv
