// Combinations: the kernel for all, where one has none of its own. Every thread block computes the coefficients for itself, then
// goes through its share of the elements.
#include <algorithm>
#include <string>
#include <type_traits>

#include <cuda/atomic>
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "core/peer_memory.cuh"
#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/combine/own_kernels.hpp"
#include "kernels/combine/scalars.hpp"
#include "kernels/combine/sum_in_pairs.hpp"
#include "kernels/parts/block_sum.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/summed_rows.cuh"

namespace spmv {
namespace {

constexpr int threads = 256;
constexpr int sum_threads = 512;

__device__ __forceinline__ void set(float& to, double value) {
  to = static_cast<float>(value);
}
__device__ __forceinline__ void set(double& to, double value) {
  to = value;
}
__device__ __forceinline__ void set(float2& to, ComplexScalar value) {
  to = {static_cast<float>(value.re), static_cast<float>(value.im)};
}
__device__ __forceinline__ void set(double2& to, ComplexScalar value) {
  to = {value.re, value.im};
}

/// Coefficients of the changes, in shared memory.
template <class S>
struct Coefficients {
  S of[most_changes][most_vectors];
  unsigned used[most_changes];  // bit t: term t has a coefficient that is not 0
};

/// A number that thread blocks of one kernel may read and write at the same time.
__device__ __forceinline__ int load_shared(int* at) {
  return cuda::atomic_ref<int, cuda::thread_scope_device>(*at).load(cuda::memory_order_relaxed);
}
__device__ __forceinline__ void store_shared(int* at, int number) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*at).store(number, cuda::memory_order_relaxed);
}

template <class T, class S>
__device__ void make_coefficients(const CombinationData<T>& data, const S* registers,
                                  Coefficients<S>& result) {
  const auto c = static_cast<int>(threadIdx.x);
  if (c >= data.changes) return;
  unsigned used = 0;
  for (int v = 0; v < most_vectors; ++v) result.of[c][v] = scalar_of<S>(0);
  for (int t = 0; t < data.change[c].terms; ++t) {
    const CombinationTerm term = data.change[c].term[t];
    const S size = term.coefficient < 0 ? scalar_of<S>(1) : registers[term.coefficient];
    if (is_zero(size)) continue;
    const S signed_size = term.negative ? -size : size;
    result.of[c][term.vector] = result.of[c][term.vector] + signed_size;
    used |= 1U << static_cast<unsigned>(term.vector);
  }
  result.used[c] = used;
}

/// What the formula stores and records, by one thread of the whole kernel.
template <class S>
__device__ void keep_results(const Formula& formula, const S* registers, const ScalarsView<S>& scalars,
                             std::uint64_t number, bool changes) {
  RecordLine& line = scalars.record[number % record_lines];
  for (int i = 0; i < formula.steps(); ++i) {
    const Formula::Step step = formula.step(i);
    if (changes && step.operation == Formula::Operation::store) scalars.slot[step.b] = registers[i];
    if (step.operation == Formula::Operation::record) line.number[step.b] = real_part(registers[i]);
  }
  if (formula.records())
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>(line.line).store(number,
                                                                                cuda::memory_order_release);
}

/// The parts of a sum that are beyond those before or beyond those of this combination are 0.
template <class T>
__device__ __forceinline__ void clear_parts(const CombinationData<T>& data,
                                            const ScalarsView<ScalarOf<T>>& scalars, bool changes) {
  const auto own = static_cast<int>(gridDim.x);
  for (int i = 0; i < data.sums; ++i) {
    const int before = data.parts_before[i];
    const int first = changes ? own : before, last = changes ? before : own;
    for (int part = first + static_cast<int>(blockIdx.x); part < last; part += own)
      scalars.partial[data.sum[i].slot * most_parts + part] = scalar_of<ScalarOf<T>>(0);
  }
}

/// The changes of one element of all vectors.
template <class T, class S>
__device__ __forceinline__ void change(const CombinationData<T>& program, const Coefficients<S>& coefficients,
                                       S* v) {
  for (int c = 0; c < program.changes; ++c) {
    const auto& change = program.change[c];
    S result = scalar_of<S>(0);
    if (change.multiplies)
      result = v[change.term[0].vector] * v[change.term[1].vector];
    else
      for (int i = 0; i < program.vectors; ++i)
        if ((coefficients.used[c] >> i & 1U) != 0) result = result + coefficients.of[c][i] * v[i];
    v[change.target] = result;
  }
}

/// Copies plain data from a kernel's arguments, all words at once: one by one they would be waited for. All threads of the block.
template <class Data>
__device__ __forceinline__ void copy_words(Data& to, const Data& from) {
  static_assert(sizeof(Data) % sizeof(unsigned) == 0 && std::is_trivially_copyable_v<Data>);
  for (unsigned i = threadIdx.x; i < sizeof(Data) / sizeof(unsigned); i += threads)
    reinterpret_cast<unsigned*>(&to)[i] = reinterpret_cast<const unsigned*>(&from)[i];
}

/// For all combinations that have no kernel of their own. It learns what to do when it runs, so that the values of an element
/// are in local memory. It goes from the last elements to the first: a product has just left the last ones in the second cache,
/// and the next one begins with the first. Of several columns it changes one, whose numbers it gets.
template <class T>
__global__ void __launch_bounds__(threads)
    any_kernel(const __grid_constant__ CombinationData<T> data, const ScalarsView<ScalarOf<T>> scalars,
               std::uint64_t line, int column) {
  using S = ScalarOf<T>;
  __shared__ CombinationData<T> program;
  __shared__ S registers[Formula::most_steps];
  __shared__ Coefficients<S> coefficients;
  __shared__ bool changes;
  copy_words(program, data);  // before the last kernel has ended: it does not write it
  wait_for_last();
  let_next_begin();
  const offset stride = static_cast<offset>(gridDim.x) * threads;
  const offset thread = static_cast<offset>(blockIdx.x) * threads + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    const bool stopped = scalars.stopped != nullptr && load_shared(scalars.stopped) != 0;
    registers[0] = scalar_of<S>(0);
    // All blocks find the same: where the first one sets the flag, the others know it from the requirement.
    const bool holds = evaluate(program.formula, scalars.slot, registers);
    changes = holds && !stopped;
    if (!holds && thread == 0 && scalars.stopped != nullptr) store_shared(scalars.stopped, 1);
    clear_parts(program, scalars, changes);
  }
  __syncthreads();
  make_coefficients(program, registers, coefficients);
  __syncthreads();
  if (changes) {
    S sum[most_sums] = {};
    for (offset row = data.count / data.columns - 1 - thread; row >= 0; row -= stride) {
      const offset at = row * data.columns + column;
      S v[most_vectors] = {};
      for (int i = 0; i < program.vectors; ++i)
        if ((program.loaded >> i & 1) != 0) v[i] = as_scalar(as_device(program.at[i])[at]);
      change(program, coefficients, v);
      for (int i = 0; i < program.vectors; ++i)
        if ((program.stored >> i & 1) != 0) set(as_device(program.at[i])[at], v[i]);
      for (int i = 0; i < program.sums; ++i)
        sum[i] = sum[i] + conjugate(v[program.sum[i].a]) * v[program.sum[i].b];
    }
    for (int i = 0; i < program.sums; ++i) {
      const S total = block_sum<threads>(sum[i]);
      if (threadIdx.x == 0) scalars.partial[program.sum[i].slot * most_parts + blockIdx.x] = total;
    }
  }
  if (thread == 0) keep_results(program.formula, registers, scalars, line, changes);
}

template <class T>
int launch_any(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, std::uint64_t line,
               cudaStream_t stream) {
  constexpr auto kernel = any_kernel<T>;
  const offset needed = (data.count / data.columns + threads - 1) / threads;
  const int resident = std::min(resident_blocks<kernel>(threads, 0), most_parts);
  const auto blocks = static_cast<int>(std::clamp<offset>(needed, 1, resident));
  for (int column = 0; column < data.columns; ++column)
    launch_behind<kernel>(static_cast<unsigned>(blocks), threads, 0, stream, data, scalars.of_column(column),
                          line, column);
  return blocks;
}

/// This GPU's sums of one column, in shared memory: a group of threads adds up the parts of one sum.
template <class S>
__device__ void add_parts(const PartialSums<S>& sums, int column, S* total) {
  constexpr int group = sum_threads / most_sums;
  static_assert(group % 32 == 0);
  __shared__ S of_warp[sum_threads / 32];
  const int i = static_cast<int>(threadIdx.x) / group, lane = static_cast<int>(threadIdx.x) % group;
  S sum = scalar_of<S>(0);
  if (i < sums.count) {
    const S* const of_sum = sums.part[i] + column * parts_apart;
    constexpr int batch = 8;
    for (int first = lane; first < sums.parts[i]; first += batch * group) {
      S part[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u)
        part[u] = first + u * group < sums.parts[i] ? of_sum[first + u * group] : scalar_of<S>(0);
#pragma unroll
      for (int u = 0; u < batch; ++u) sum = sum + part[u];
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < sums.count) {
    S result = scalar_of<S>(0);
    for (int w = 0; w < group / 32; ++w)
      result = result + of_warp[static_cast<int>(threadIdx.x) * (group / 32) + w];
    total[threadIdx.x] = result;
  }
  __syncthreads();
}

/// A thread block for each column.
template <class S>
__global__ void __launch_bounds__(sum_threads) own_sums_kernel(const PartialSums<S> sums) {
  __shared__ S total[most_sums];
  wait_for_last();
  let_next_begin();
  const auto column = static_cast<int>(blockIdx.x);
  add_parts(sums, column, total);
  if (static_cast<int>(threadIdx.x) < sums.count)
    sums.slot[column * slots_apart + threadIdx.x] = total[threadIdx.x];
}

/// `others`: the sums of a rank are `apart` after those of the one before.
template <class S>
__device__ void add_ranks(S* slot, int count, const S* own, const S* others, int apart, int rank, int ranks) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  slot[i] = sum_in_pairs<S>(
      ranks, [&](int r) { return r == rank ? own[i] : others[(r < rank ? r : r - 1) * apart + i]; });
}

/// A thread block for each column.
template <class S>
__global__ void rank_sums_kernel(S* slot, int count, const S* others, int rank, int ranks) {
  wait_for_last();
  let_next_begin();
  S* const of_column = slot + blockIdx.x * slots_apart;
  const int apart = static_cast<int>(gridDim.x) * count;
  add_ranks(of_column, count, of_column, others + blockIdx.x * count, apart, rank, ranks);
}

/// An element of the exchange is one sum; stores to peers go as the types that are one store each.
template <class S>
__global__ void __launch_bounds__(sum_threads)
    sums_between_peers_kernel(const PartialSums<S> sums, const PeerView peers, int rank, int ranks) {
  __shared__ S total[most_sums];
  wait_for_last();
  let_next_begin();
  const ExchangeNumber number = begin_exchange(peers, true, 1);
  add_parts(sums, 0, total);
  for (int p = 0; p < peers.pieces; ++p) {
    const SendPiece piece = peers.piece[p];
    if (static_cast<int>(threadIdx.x) < piece.count)
      reinterpret_cast<S*>(number % 2 == 0 ? piece.to[0] : piece.to[1])[threadIdx.x] =
          total[(piece.first + static_cast<int>(threadIdx.x)) % sums.count];
  }
  __syncthreads();
  for (int p = static_cast<int>(threadIdx.x); p < peers.pieces; p += sum_threads)
    cuda::atomic_ref<ExchangeNumber, cuda::thread_scope_system>(*peers.piece[p].flag)
        .store(number, cuda::memory_order_release);
  wait_for_flags(peers, number);
  const auto* const others = reinterpret_cast<const S*>(number % 2 == 0 ? peers.half[0] : peers.half[1]);
  add_ranks(sums.slot, sums.count, total, others, sums.count, rank, ranks);
}

}  // namespace

template <class T>
int launch_combination_cuda(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                            std::uint64_t line, void* stream) {
  for (int i = 0; i < data.vectors; ++i)
    if (reinterpret_cast<std::uintptr_t>(data.at[i]) % (column_packs<T>(data.columns).pack * sizeof(T)) != 0)
      throw Error(ExitCode::internal, "a vector of a combination does not begin at a whole pack of elements");
  const int parts = launch_own_kernel(data, scalars, line, stream);
  return parts > 0 ? parts : launch_any(data, scalars, line, static_cast<cudaStream_t>(stream));
}

std::string why_no_own_kernels_cuda() {
  return why_no_own_kernels();
}

template <class T>
void launch_own_sums_cuda(const PartialSums<ScalarOf<T>>& sums, void* stream) {
  launch_behind<own_sums_kernel<ScalarOf<T>>>(static_cast<unsigned>(sums.columns), sum_threads, 0,
                                              static_cast<cudaStream_t>(stream), sums);
}

template <class T>
void launch_rank_sums_cuda(ScalarOf<T>* slot, int count, int columns, const ScalarOf<T>* others, int rank,
                           int ranks, void* stream) {
  rank_sums_kernel<<<columns, 32, 0, static_cast<cudaStream_t>(stream)>>>(slot, count, others, rank, ranks);
  cuda_check(cudaGetLastError(), "launch sums of ranks (combine_cuda.cu)");
}

template <class T>
void launch_sums_between_peers_cuda(const PartialSums<ScalarOf<T>>& sums, const PeerView& peers, int rank,
                                    int ranks, void* stream) {
  launch_behind<sums_between_peers_kernel<ScalarOf<T>>>(1, sum_threads, 0, static_cast<cudaStream_t>(stream),
                                                        sums, peers, rank, ranks);
}

SPMV_INSTANTIATE(launch_combination_cuda);
SPMV_INSTANTIATE(launch_own_sums_cuda);
SPMV_INSTANTIATE(launch_rank_sums_cuda);
SPMV_INSTANTIATE(launch_sums_between_peers_cuda);

}  // namespace spmv
