// How much of an array that is read repeatedly stays in a GPU's second-level cache: with ordinary loads, with
// evict-first loads, and with those of kernels/parts/read_once.cuh. Before each measurement other data fill
// the cache.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include <cuda_runtime.h>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/cuda_check.hpp"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/read_once.hpp"

namespace spmv {
namespace {

constexpr int threads = 256;
constexpr int in_flight = 4;

struct Ordinary {
  __device__ double operator()(const double* at) const { return __ldg(at); }
};
struct Once {
  float kept;
  __device__ double operator()(const double* at) const { return ReadOnce(kept).load(at); }
};

/// Adds up the array; the sum is not used.
template <class Load>
__global__ void __launch_bounds__(threads) read_kernel(const double* a, long count, double* sum, Load load) {
  const long stride = static_cast<long>(gridDim.x) * threads;
  double mine = 0;
  for (long i = static_cast<long>(blockIdx.x) * threads + threadIdx.x; i < count; i += in_flight * stride) {
    double value[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) value[u] = i + u * stride < count ? load(a + i + u * stride) : 0;
#pragma unroll
    for (int u = 0; u < in_flight; ++u) mine += value[u];
  }
  if (mine == 1.5) *sum = mine;
}

class Bench {
 public:
  Bench()
      : backend_(make_cuda_backend(DeviceRequest{})),
        queue_(backend_->make_queue(Priority::normal)),
        begin_(backend_->make_event()),
        end_(backend_->make_event()),
        read_(backend_, most_bytes / sizeof(double), Memory::device),
        other_(backend_, most_bytes / sizeof(double), Memory::device),
        sum_(backend_, 1, Memory::device) {
    queue_->fill(read_.data(), 0, read_.bytes());
    queue_->fill(other_.data(), 0, other_.bytes());
  }

  void run() {
    const auto cache = static_cast<double>(backend_->cache_bytes());
    std::printf("%s, cache of %.0f MB\n%8s %14s %14s %14s   us per read\n", backend_->describe().c_str(),
                cache / 1e6, "MB", "ordinary", "evicted first", "share kept");
    for (const double mb : {5., 10., 20., 30., 40., 50., 60., 80., 120., 200.})
      std::printf("%8.0f %14.2f %14.2f %14.2f\n", mb, microseconds(mb, Ordinary{}), microseconds(mb, Once{0}),
                  microseconds(mb, Once{share_to_keep(cache, mb * 1e6, 0)}));
  }

 private:
  static constexpr std::size_t most_bytes = 200'000'000;

  template <class Load>
  void read(const Buffer<double>& from, double mb, const Load& load) {
    constexpr unsigned blocks = 132 * 8;
    read_kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(queue_->stream())>>>(
        from.data(), static_cast<long>(mb * 1e6 / sizeof(double)), sum_.data(), load);
    cuda_check(cudaGetLastError(), "launch read_kernel (cache_reuse.cu)");
  }
  template <class Load>
  double microseconds(double mb, const Load& load) {
    constexpr int passes = 200, batches = 5;
    for (int i = 0; i < passes; ++i) read(other_, 45, Ordinary{});
    for (int i = 0; i < passes; ++i) read(read_, mb, load);
    std::vector<double> seconds;
    for (int b = 0; b < batches; ++b) {
      queue_->record(*begin_);
      for (int i = 0; i < passes; ++i) read(read_, mb, load);
      queue_->record(*end_);
      queue_->synchronize();
      seconds.push_back(end_->seconds_since(*begin_) / passes);
    }
    std::nth_element(seconds.begin(), seconds.begin() + batches / 2, seconds.end());
    return seconds[batches / 2] * 1e6;
  }

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> begin_, end_;
  Buffer<double> read_, other_, sum_;
};

}  // namespace
}  // namespace spmv

int main() {
  try {
    spmv::Bench().run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cache_reuse: %s\n", error.what());
    return 1;
  }
}
