#include <string>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/error.hpp"
#include "core/lent_memory_cuda.cuh"

namespace spmv {
namespace {

/// What is shared begins with its token, then its memory, aligned as cudaMalloc aligns.
constexpr std::size_t before_lent = 256;

/// Allocated here. Whole pages of the driver's: sharing shares these, and with them whatever else they hold.
class CudaLent final : public LentMemory {
 public:
  explicit CudaLent(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{2} << 20;
    bytes = ((before_lent + bytes) / page + 1) * page;
    cuda_check(cudaMalloc(&at_, bytes), "allocate device memory to share");
    try {
      prepare(bytes);
    } catch (...) {
      cudaFree(at_);
      throw;
    }
  }
  ~CudaLent() override { cudaFree(at_); }
  CudaLent(const CudaLent&) = delete;
  CudaLent& operator=(const CudaLent&) = delete;
  std::byte* data() const override { return static_cast<std::byte*>(at_) + before_lent; }
  std::string handle() const override {
    cudaIpcMemHandle_t handle;
    cuda_check(cudaIpcGetMemHandle(&handle, at_), "share device memory");
    return to_string(LentHandle{token_, std::string(handle.reserved, sizeof handle.reserved)});
  }

 private:
  /// Both calls may return before they are done, and others look for the token in no order with this device's work.
  void prepare(std::size_t bytes) {
    cuda_check(cudaMemset(at_, 0, bytes), "clear device memory to share");
    cuda_check(cudaMemcpy(at_, token_.data(), token_.size(), cudaMemcpyHostToDevice),
               "mark device memory to share");
    cuda_check(cudaStreamSynchronize(nullptr), "mark device memory to share");
  }

  LentToken token_ = draw_token();
  void* at_ = nullptr;
};

/// Another process's.
class CudaMapped final : public SharedMemory {
 public:
  explicit CudaMapped(const LentHandle& lent) {
    cudaIpcMemHandle_t handle;
    if (lent.name.size() != sizeof handle.reserved)
      throw Error(ExitCode::internal, "not a handle of shared memory");
    lent.name.copy(handle.reserved, sizeof handle.reserved);
    require(cudaIpcOpenMemHandle(&at_, handle, cudaIpcMemLazyEnablePeerAccess));
    try {
      LentToken found;
      require(cudaMemcpy(found.data(), at_, found.size(), cudaMemcpyDeviceToHost));
      require_lent(found, lent);
    } catch (...) {
      cudaIpcCloseMemHandle(at_);
      throw;
    }
  }
  ~CudaMapped() override { cudaIpcCloseMemHandle(at_); }
  CudaMapped(const CudaMapped&) = delete;
  CudaMapped& operator=(const CudaMapped&) = delete;
  std::byte* data() const override { return static_cast<std::byte*>(at_) + before_lent; }

 private:
  static void require(cudaError_t status) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // the attempt failed, the program did not
    throw Error(
        ExitCode::environment,
        std::string("cannot map another GPU's memory (") + cudaGetErrorString(status) +
            "): GPUs need peer access (nvidia-smi topo -p2p r), every rank must see all GPUs of the node, and no "
            "rank may run in a PID namespace (container) of its own; use another transport");
  }

  void* at_ = nullptr;
};

}  // namespace

std::unique_ptr<LentMemory> lend_device_memory(std::size_t bytes) {
  return std::make_unique<CudaLent>(bytes);
}

std::unique_ptr<SharedMemory> map_device_memory(const LentHandle& lent) {
  return std::make_unique<CudaMapped>(lent);
}

}  // namespace spmv
