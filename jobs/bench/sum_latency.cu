// What a sum over all GPUs of this machine adds to an iteration of conjugate gradients if kernels do the sum
// themselves. The iteration has two kernels, as predict-and-recompute has; the second stands for the product:
//
//     combine   waits for the sums; x += a p, r -= a s, p = r + b p; (r, r) of its own rows
//     product   s = 0.5 p; (p, s) and (s, s) of its own rows; its last thread block adds up the three sums of all
//               blocks, in order, stores them on every GPU and raises a flag there
//
// Prints microseconds per iteration without sums, with those of one GPU, and with those of all. The visible
// GPUs (CUDA_VISIBLE_DEVICES) must be able to access each other's memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <cuda/atomic>
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/launch_behind.cuh"
#include "core/resident.cuh"

namespace spmv {
namespace {

constexpr int threads = 256;
constexpr int most_gpus = 8;
constexpr int sums = 3;  // (r, r), (p, s), (s, s)
constexpr int iterations_recorded = 100;

enum class Sums { none, own, all };

/// Memory that every GPU shares with the others: iteration k stores to slot k % 2. The slot is free, because
/// whoever stores to it has waited for the sums of iteration k - 1, and their sender had read those of k - 2.
struct Window {
  double slot[2][most_gpus][sums];
  unsigned long long flag[most_gpus];
};

/// One GPU's part, in device memory.
struct Part {
  double *x, *r, *p, *s;
  long rows;
  double* partial;     // [sums][blocks]
  unsigned* finished;  // thread blocks of the product that have stored their partial sums
  unsigned long long* iteration;
  Window* mine;
  Window* of[most_gpus];
  int me, gpus;
};

/// The sum over a thread block, in thread 0; the order of additions is fixed.
__device__ double block_sum(double value) {
  __shared__ double warp_sum[threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = value;
  __syncthreads();
  double total = 0;
  if (threadIdx.x == 0)
    for (const double of_warp : warp_sum) total += of_warp;
  __syncthreads();
  return total;
}

/// The sums of all GPUs, added in GPU order, in shared memory.
template <Sums which>
__device__ void wait_for_sums(const Part& part, unsigned long long iteration, double* total) {
  __shared__ double of[most_gpus][sums];
  const int gpus = which == Sums::all ? part.gpus : 1;
  const auto gpu = static_cast<int>(threadIdx.x);
  if (gpu < gpus) {
    const int from = which == Sums::all ? gpu : part.me;
    const cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> flag(part.mine->flag[from]);
    while (flag.load(cuda::memory_order_acquire) < iteration) {
    }
    for (int i = 0; i < sums; ++i) of[gpu][i] = __ldcg(&part.mine->slot[iteration % 2][from][i]);
  }
  __syncthreads();
  if (threadIdx.x < sums) {
    total[threadIdx.x] = 0;
    for (int g = 0; g < gpus; ++g) total[threadIdx.x] += of[g][threadIdx.x];
  }
  __syncthreads();
}

template <Sums which>
__global__ void __launch_bounds__(threads) combine_kernel(Part part) {
  __shared__ double total[sums];
  wait_for_last();
  let_next_begin();
  double a = 0.5, b = 0.25;
  if constexpr (which != Sums::none) {
    wait_for_sums<which>(part, *part.iteration, total);
    a = 0.5 + 1e-300 * total[0];
    b = 0.25 + 1e-300 * (total[1] + total[2]);
  }
  double rr = 0;
  const long stride = static_cast<long>(gridDim.x) * threads;
  for (long i = static_cast<long>(blockIdx.x) * threads + threadIdx.x; i < part.rows; i += stride) {
    const double p = part.p[i];
    const double r = part.r[i] - a * part.s[i];
    part.x[i] += a * p;
    part.r[i] = r;
    part.p[i] = r + b * p;
    rr += r * r;
  }
  if constexpr (which != Sums::none) {
    rr = block_sum(rr);
    if (threadIdx.x == 0) part.partial[blockIdx.x] = rr;
  }
}

/// For the product's last thread block: adds up the partial sums and stores them on every GPU.
template <Sums which>
__device__ void hand_out_sums(const Part& part) {
  __shared__ double total[sums];
  const unsigned long long iteration = *part.iteration + 1;
  for (int i = 0; i < sums; ++i) {
    double sum = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += threads)
      sum += __ldcg(part.partial + i * gridDim.x + k);
    sum = block_sum(sum);
    if (threadIdx.x == 0) total[i] = sum;
  }
  __syncthreads();
  const auto gpu = static_cast<int>(threadIdx.x);
  if (which == Sums::all ? gpu < part.gpus : gpu == part.me) {
    Window& to = *part.of[gpu];
    for (int i = 0; i < sums; ++i) to.slot[iteration % 2][part.me][i] = total[i];
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>(to.flag[part.me])
        .store(iteration, cuda::memory_order_release);
  }
  if (threadIdx.x == 0) {
    *part.finished = 0;
    *part.iteration = iteration;
  }
}

template <Sums which>
__global__ void __launch_bounds__(threads) product_kernel(Part part) {
  __shared__ bool last;
  wait_for_last();
  let_next_begin();
  double ps = 0, ss = 0;
  const long stride = static_cast<long>(gridDim.x) * threads;
  for (long i = static_cast<long>(blockIdx.x) * threads + threadIdx.x; i < part.rows; i += stride) {
    const double p = part.p[i], s = 0.5 * p;
    part.s[i] = s;
    ps += p * s;
    ss += s * s;
  }
  if constexpr (which == Sums::none) return;
  ps = block_sum(ps);
  ss = block_sum(ss);
  if (threadIdx.x == 0) {
    part.partial[gridDim.x + blockIdx.x] = ps;
    part.partial[2 * gridDim.x + blockIdx.x] = ss;
    __threadfence();
    last = atomicAdd(part.finished, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) hand_out_sums<which>(part);
}

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

template <class T>
T* zeros(std::vector<DeviceMemory>& kept, std::size_t count) {
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, count * sizeof(T)), "allocate");
  kept.emplace_back(memory);
  cuda_check(cudaMemset(memory, 0, count * sizeof(T)), "clear");
  return static_cast<T*>(memory);
}

/// Iterations recorded on one GPU's stream.
class Recording {
 public:
  template <Sums which>
  static Recording of(int gpu, const Part& part, unsigned blocks) {
    cuda_check(cudaSetDevice(gpu), "choose a GPU");
    Recording recording;
    recording.gpu_ = gpu;
    cuda_check(cudaStreamCreateWithFlags(&recording.stream_, cudaStreamNonBlocking), "make a stream");
    cuda_check(cudaStreamBeginCapture(recording.stream_, cudaStreamCaptureModeThreadLocal), "record");
    for (int i = 0; i < iterations_recorded; ++i) {
      launch_behind<combine_kernel<which>>(blocks, threads, 0, recording.stream_, part);
      launch_behind<product_kernel<which>>(blocks, threads, 0, recording.stream_, part);
    }
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(recording.stream_, &graph), "end a recording");
    cuda_check(cudaGraphInstantiate(&recording.graph_, graph, 0), "make a graph");
    cuda_check(cudaGraphDestroy(graph), "free a graph");
    return recording;
  }
  Recording(Recording&& other) noexcept { swap(other); }
  Recording& operator=(Recording&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Recording() {
    if (graph_) cudaGraphExecDestroy(graph_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  void launch() const {
    cuda_check(cudaSetDevice(gpu_), "choose a GPU");
    cuda_check(cudaGraphLaunch(graph_, stream_), "launch a graph");
  }
  void wait() const {
    cuda_check(cudaSetDevice(gpu_), "choose a GPU");
    cuda_check(cudaStreamSynchronize(stream_), "wait for iterations");
  }

 private:
  Recording() = default;
  void swap(Recording& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(stream_, other.stream_);
    std::swap(graph_, other.graph_);
  }

  int gpu_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

/// The parts of all GPUs, with `rows` rows each.
class Bench {
 public:
  Bench(int gpus, long rows) : rows_(rows) {
    std::vector<Window*> window;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      reach_all(gpu, gpus);
      window.push_back(zeros<Window>(kept_, 1));
    }
    for (int gpu = 0; gpu < gpus; ++gpu) parts_.push_back(make_part(gpu, window));
  }

  /// Microseconds per iteration: the median of some batches.
  template <Sums which>
  double microseconds(unsigned blocks) {
    std::vector<Recording> recordings;
    for (const Part& part : parts_) recordings.push_back(Recording::of<which>(part.me, part, blocks));
    constexpr int launches = 10, batches = 9;
    std::vector<double> times;
    for (int batch = 0; batch <= batches; ++batch) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < launches; ++i)
        for (const Recording& recording : recordings) recording.launch();
      for (const Recording& recording : recordings) recording.wait();
      const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
      if (batch > 0) times.push_back(elapsed.count() / (launches * iterations_recorded));
    }
    std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
    return times[batches / 2];
  }

 private:
  static void reach_all(int gpu, int gpus) {
    cuda_check(cudaSetDevice(gpu), "choose a GPU");
    for (int other = 0; other < gpus; ++other) {
      if (other == gpu) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();  // clears the error
      else
        cuda_check(status, "reach the memory of another GPU");
    }
  }
  Part make_part(int gpu, const std::vector<Window*>& window) {
    cuda_check(cudaSetDevice(gpu), "choose a GPU");
    const auto rows = static_cast<std::size_t>(rows_);
    Part part{};
    for (double** vector : {&part.x, &part.r, &part.p, &part.s}) *vector = zeros<double>(kept_, rows);
    constexpr std::size_t most_blocks = 1 << 13;
    part.rows = rows_;
    part.partial = zeros<double>(kept_, sums * most_blocks);
    part.finished = zeros<unsigned>(kept_, 1);
    part.iteration = zeros<unsigned long long>(kept_, 1);
    part.mine = window[static_cast<std::size_t>(gpu)];
    std::copy(window.begin(), window.end(), part.of);
    part.me = gpu;
    part.gpus = static_cast<int>(window.size());
    cuda_check(cudaDeviceSynchronize(), "clear vectors");
    return part;
  }

  long rows_;
  std::vector<DeviceMemory> kept_;
  std::vector<Part> parts_;
};

void run(int gpus) {
  std::printf("%d GPUs\n%10s %14s %10s %10s %10s %10s   us per iteration\n", gpus, "rows", "thread blocks",
              "no sums", "own", "all", "all - none");
  for (const long rows : {1000L, 100'000L, 1'048'576L, 3'538'944L})
    for (const unsigned per_multiprocessor : {1U, 2U, 4U, 8U}) {
      int multiprocessors = 0;
      cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
                 "count multiprocessors");
      const unsigned blocks = per_multiprocessor * static_cast<unsigned>(multiprocessors);
      Bench bench(gpus, rows);
      const double none = bench.microseconds<Sums::none>(blocks), own = bench.microseconds<Sums::own>(blocks);
      // A new Bench, because the other GPUs' flags are behind this one's iteration number.
      Bench anew(gpus, rows);
      const double all = anew.microseconds<Sums::all>(blocks);
      std::printf("%10ld %14u %10.2f %10.2f %10.2f %10.2f\n", rows, blocks, none, own, all, all - none);
    }
}

}  // namespace
}  // namespace spmv

int main() {
  try {
    int gpus = 0;
    spmv::cuda_check(cudaGetDeviceCount(&gpus), "count GPUs");
    spmv::run(std::min(gpus, spmv::most_gpus));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sum_latency: %s\n", error.what());
    return 1;
  }
}
