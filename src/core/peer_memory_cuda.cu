#include <string>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/peer_memory.cuh"

namespace spmv {
namespace {

constexpr int put_threads = 256;
constexpr int copy_threads = 512;
/// Thread blocks that wait and copy: few enough to be resident together on any GPU, also beside those of
/// several ranks that share it.
constexpr unsigned most_waiting_blocks = 16;
/// Up to here these few blocks copy the halo themselves; beyond, one waits and a kernel of many copies.
constexpr std::size_t little = std::size_t{1} << 20;

template <class Word>
__global__ void __launch_bounds__(put_threads) put_kernel(const PeerView view, const Word* packed) {
  const Epoch epoch = begin_exchange(view, false, 0);
  put_piece<Word>(view.piece[blockIdx.x], epoch, [=](lidx k) { return packed[k]; });
}

template <bool waits, bool copies, class Word>
__global__ void __launch_bounds__(copy_threads) arrive_kernel(const PeerView view, Word* halo) {
  const Epoch epoch = begin_exchange(view, copies, gridDim.x);
  if constexpr (waits) wait_for_flags(view, epoch);
  if constexpr (copies) {
    const auto* slot = reinterpret_cast<const Word*>(epoch % 2 == 0 ? view.slot[0] : view.slot[1]);
    const std::size_t step = std::size_t{gridDim.x} * copy_threads;
    for (int r = 0; r < view.runs; ++r) {
      const std::size_t begin = view.run[r].begin / sizeof(Word);
      const std::size_t words = view.run[r].bytes / sizeof(Word);
#pragma unroll 4
      for (std::size_t k = std::size_t{blockIdx.x} * copy_threads + threadIdx.x; k < words; k += step)
        halo[begin + k] = __ldcg(slot + begin + k);
    }
  }
}

template <class Word>
void put(const PeerView& view, const std::byte* packed, cudaStream_t stream) {
  put_kernel<<<static_cast<unsigned>(view.pieces), put_threads, 0, stream>>>(
      view, reinterpret_cast<const Word*>(packed));
}

}  // namespace

void launch_put_cuda(const PeerView& view, const std::byte* packed, std::size_t element_bytes, void* stream) {
  if (view.pieces == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  switch (element_bytes) {
    case 4:
      put<float>(view, packed, cuda_stream);
      break;
    case 8:
      put<double>(view, packed, cuda_stream);
      break;
    case 16:
      put<double2>(view, packed, cuda_stream);
      break;
    default:
      throw Error(ExitCode::internal, "elements of " + std::to_string(element_bytes) + " bytes");
  }
  cuda_check(cudaGetLastError(), "launch a put (peer_memory_cuda.cu)");
}

void launch_arrive_cuda(const PeerView& view, std::byte* halo, void* stream) {
  if (view.flags == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  using Word = float;  // every element is a number of these, and aligned to one
  auto* const to = reinterpret_cast<Word*>(halo);
  const std::size_t blocks = view.bytes / (8 * sizeof(Word) * copy_threads) + 1;
  if (view.bytes <= little) {
    const auto waiting = static_cast<unsigned>(blocks < most_waiting_blocks ? blocks : most_waiting_blocks);
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
