#include <algorithm>
#include <string>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "core/peer_memory.cuh"
#include "core/resident.cuh"

namespace spmv {
namespace {

constexpr int send_threads = 256;
constexpr int copy_threads = 512;
constexpr int fetch_threads = 512;
/// Thread blocks that wait and copy: few enough to be resident together on any GPU; where ranks share one, so
/// few that those of dozens of ranks leave room for what they wait for.
constexpr unsigned most_waiting_blocks = 16;
constexpr unsigned most_fetching_blocks = 64;
constexpr unsigned most_blocks_on_shared_device = 1;
/// Few, so that the first pieces are there while later ones are still on their way; enough for the link, whose stores wait
/// for loads of x by index.
constexpr unsigned most_sending_blocks = 128;
constexpr unsigned most_sending_blocks_through_host = 64;
/// Up to here these few blocks copy the halo themselves; beyond, one waits and a kernel of many copies.
constexpr std::size_t little = std::size_t{1} << 20;

template <class Word>
__global__ void __launch_bounds__(send_threads)
    send_kernel(const PeerView view, const Word* elements, const lidx* index) {
  const ExchangeNumber number = begin_exchange(view, false, 0);
  let_next_begin();  // all blocks have read the number, which the next kernel counts up
  for (int p = static_cast<int>(blockIdx.x); p < view.pieces; p += static_cast<int>(gridDim.x))
    send_piece<Word>(view.piece[p], number,
                     [=](lidx k) { return __ldg(elements + (index == nullptr ? k : __ldg(index + k))); });
}

template <bool waits, bool copies, class Word>
__global__ void __launch_bounds__(copy_threads) arrive_kernel(const PeerView view, Word* halo) {
  const ExchangeNumber number = begin_exchange(view, copies, gridDim.x);
  if constexpr (waits) wait_for_flags(view, number);
  if constexpr (copies) {
    const auto* half = reinterpret_cast<const Word*>(number % 2 == 0 ? view.half[0] : view.half[1]);
    const std::size_t step = std::size_t{gridDim.x} * copy_threads;
    for (int r = 0; r < view.runs; ++r) {
      const std::size_t begin = view.run[r].begin / sizeof(Word);
      const std::size_t words = view.run[r].bytes / sizeof(Word);
#pragma unroll 4
      for (std::size_t k = std::size_t{blockIdx.x} * copy_threads + threadIdx.x; k < words; k += step)
        halo[begin + k] = __ldcg(half + begin + k);
    }
  }
}

/// A block fetches what a flag stands for as soon as that flag is raised, so that elements are fetched while others are
/// still on their way.
template <bool on_host, class Word>
__global__ void __launch_bounds__(fetch_threads) fetch_kernel(const PeerView view, Word* halo) {
  const ExchangeNumber number = begin_exchange(view, true, gridDim.x);
  const auto* half = reinterpret_cast<const Word*>(number % 2 == 0 ? view.half[0] : view.half[1]);
  for (int f = static_cast<int>(blockIdx.x); f < view.flags; f += static_cast<int>(gridDim.x)) {
    const ArrivingPiece piece = view.arriving[f];
    if (threadIdx.x == 0) wait_for_flag(*piece.flag, number);
    __syncthreads();  // what the first thread has acquired, all threads may read
    const HaloRun& run = piece.run;
    const std::size_t begin = run.begin / sizeof(Word), end = begin + run.bytes / sizeof(Word);
    constexpr int batch = 4;  // loads on their way at once: the compiler puts none of these before a store
    for (std::size_t first = begin + threadIdx.x; first < end; first += batch * fetch_threads) {
      Word words[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const Word* const from = half + first + i * fetch_threads;
        // A cache may hold the host's half as it was two exchanges ago.
        if (first + i * fetch_threads < end) words[i] = on_host ? __ldcv(from) : __ldcg(from);
      }
#pragma unroll
      for (int i = 0; i < batch; ++i)
        if (first + i * fetch_threads < end) halo[first + i * fetch_threads] = words[i];
    }
  }
  wait_for_last();  // what comes after this kernel comes after the send
}

/// Thread blocks that fetch, which wait: at most half as many as the device holds, so that others have room beside them.
template <auto kernel>
unsigned fetching_blocks(const PeerView& view) {
  const auto half = static_cast<unsigned>(std::max(1, resident_blocks<kernel>(fetch_threads, 0) / 2));
  const unsigned most =
      view.device_shared ? most_blocks_on_shared_device : std::min(half, most_fetching_blocks);
  return std::min(static_cast<unsigned>(view.flags), most);
}

/// Launches the fetch: `early`, so that its blocks begin as soon as all blocks of the send before it have begun, if that is
/// what stands before it in the queue.
template <bool on_host, class Word>
void fetch(const PeerView& view, std::byte* halo, bool early, cudaStream_t stream) {
  constexpr auto kernel = fetch_kernel<on_host, Word>;
  const unsigned blocks = fetching_blocks<kernel>(view);
  auto* const to = reinterpret_cast<Word*>(halo);
  if (early) return launch_behind<kernel>(blocks, fetch_threads, 0, stream, view, to);
  kernel<<<blocks, fetch_threads, 0, stream>>>(view, to);
  cuda_check(cudaGetLastError(), "launch a fetch (peer_memory_cuda.cu)");
}

template <class Word>
void send(const PeerView& view, const SendSource& source, cudaStream_t stream) {
  const unsigned most = view.on_host ? most_sending_blocks_through_host : most_sending_blocks;
  send_kernel<<<std::min(static_cast<unsigned>(view.pieces), most), send_threads, 0, stream>>>(
      view, reinterpret_cast<const Word*>(source.elements), source.index);
}

/// Calls work(number of a type as large as an element).
template <class Work>
void with_word(std::size_t element_bytes, const Work& work) {
  switch (element_bytes) {
    case 4:
      return work(float{});
    case 8:
      return work(double{});
    case 16:
      return work(double2{});
    default:
      throw Error(ExitCode::internal, "elements of " + std::to_string(element_bytes) + " bytes");
  }
}

}  // namespace

void launch_send_cuda(const PeerView& view, const SendSource& source, std::size_t element_bytes,
                      void* stream) {
  if (view.pieces == 0) return;
  with_word(element_bytes,
            [&](auto word) { send<decltype(word)>(view, source, static_cast<cudaStream_t>(stream)); });
  cuda_check(cudaGetLastError(), "launch a send (peer_memory_cuda.cu)");
}

void launch_arrive_cuda(const PeerView& view, std::byte* halo, std::size_t element_bytes, void* stream) {
  if (view.flags == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  // A block that waits on a device that ranks share may hold what the send of another needs.
  const bool early = !view.device_shared && begins_early<fetch_kernel<false, float>>();
  if (view.on_host || early) {
    with_word(element_bytes, [&](auto word) {
      if (view.on_host)
        fetch<true, decltype(word)>(view, halo, early, cuda_stream);
      else
        fetch<false, decltype(word)>(view, halo, early, cuda_stream);
    });
    return;
  }
  using Word = float;  // every element is made of these, and aligned to one
  auto* const to = reinterpret_cast<Word*>(halo);
  const std::size_t blocks = view.bytes / (8 * sizeof(Word) * copy_threads) + 1;
  if (view.bytes <= little) {
    const unsigned most = view.device_shared ? most_blocks_on_shared_device : most_waiting_blocks;
    const auto waiting = static_cast<unsigned>(std::min<std::size_t>(blocks, most));
    arrive_kernel<true, true><<<waiting, copy_threads, 0, cuda_stream>>>(view, to);
  } else {
    constexpr std::size_t most_blocks = 1024;
    arrive_kernel<true, false><<<1, copy_threads, 0, cuda_stream>>>(view, to);
    arrive_kernel<false, true><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks),
                                 copy_threads, 0, cuda_stream>>>(view, to);
  }
  cuda_check(cudaGetLastError(), "launch an arrival (peer_memory_cuda.cu)");
}

}  // namespace spmv
