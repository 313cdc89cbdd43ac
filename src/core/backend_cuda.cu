// The CUDA backend: plain allocations (pool allocations cannot be shared between processes), non-blocking
// streams (nothing ever waits for the default stream), pinned staging memory.
#include <string>

#include <cuda_runtime.h>

#include "core/backend.hpp"
#include "core/cuda_check.hpp"
#include "core/error.hpp"
#include "core/gpu_identity.cuh"
#include "core/kept_copies.hpp"
#include "core/lent_memory_cuda.cuh"
#include "core/upload_ring.hpp"

namespace spmv {
namespace {

class CudaEvent final : public Event {
 public:
  CudaEvent() { cuda_check(cudaEventCreate(&event_), "create an event"); }
  ~CudaEvent() override { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void synchronize() override { cuda_check(cudaEventSynchronize(event_), "finish queued work"); }
  double seconds_since(const Event& earlier) const override {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, dynamic_cast<const CudaEvent&>(earlier).event_, event_),
               "read the time between two events");
    return milliseconds * 1e-3;
  }
  cudaEvent_t event() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Orders streams, and takes no time: made when it is first needed.
class OrderEvent {
 public:
  OrderEvent() = default;
  ~OrderEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  OrderEvent(const OrderEvent&) = delete;
  OrderEvent& operator=(const OrderEvent&) = delete;
  cudaEvent_t event() {
    if (event_ == nullptr)
      cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event");
    return event_;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

cudaMemcpyKind copy_kind(Copy direction) {
  switch (direction) {
    case Copy::to_device:
      return cudaMemcpyHostToDevice;
    case Copy::to_host:
      return cudaMemcpyDeviceToHost;
    case Copy::on_device:
      return cudaMemcpyDeviceToDevice;
  }
  throw Error(ExitCode::internal, "a copy without direction");
}

class CudaGraph final : public Capture {
 public:
  /// Takes `graph` over.
  explicit CudaGraph(cudaGraph_t graph) {
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    cuda_check(status, "make captured work ready");
  }
  ~CudaGraph() override { cudaGraphExecDestroy(executable_); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  cudaGraphExec_t executable() const { return executable_; }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(int stream_priority) {
    cuda_check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, stream_priority),
               "create a stream");
  }
  ~CudaQueue() override { cudaStreamDestroy(stream_); }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void record(Event& event) override {
    cuda_check(cudaEventRecord(dynamic_cast<CudaEvent&>(event).event(), stream_), "record an event");
  }
  void wait(const Event& event) override {
    cuda_check(cudaStreamWaitEvent(stream_, dynamic_cast<const CudaEvent&>(event).event(), 0),
               "wait for an event");
  }
  void synchronize() override { cuda_check(cudaStreamSynchronize(stream_), "finish queued work"); }
  void copy(void* to, const void* from, std::size_t bytes, Copy direction) override {
    if (bytes == 0) return;
    cuda_check(cudaMemcpyAsync(to, from, bytes, copy_kind(direction), stream_), "queue a copy");
  }
  void fill(void* at, unsigned char byte, std::size_t bytes) override {
    if (bytes > 0) cuda_check(cudaMemsetAsync(at, byte, bytes, stream_), "queue a fill");
  }
  void run(std::function<void()>) override {
    throw Error(ExitCode::internal, "host code was queued on a CUDA stream");
  }
  std::unique_ptr<Capture> capture_work(std::function<void()> work) override {
    cuda_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin to capture work");
    cudaGraph_t graph = nullptr;
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream_, &graph), "capture work");
    return std::make_unique<CudaGraph>(graph);
  }
  void replay(const Capture& capture) override {
    cuda_check(cudaGraphLaunch(dynamic_cast<const CudaGraph&>(capture).executable(), stream_),
               "replay captured work");
  }
  bool takes_cuda_kernels() const override { return true; }
  void* stream() const override { return stream_; }
  void wait_for_stream(void* stream) override {
    cuda_check(cudaEventRecord(between_.event(), static_cast<cudaStream_t>(stream)),
               "record an event in the caller's stream");
    cuda_check(cudaStreamWaitEvent(stream_, between_.event(), 0), "wait for the caller's stream");
  }
  void hold_stream(void* stream) override {
    cuda_check(cudaEventRecord(between_.event(), stream_), "record an event");
    cuda_check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), between_.event(), 0),
               "let the caller's stream wait");
  }

 private:
  cudaStream_t stream_ = nullptr;
  OrderEvent between_;  // this queue and streams of others
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(int device, int ranks) : device_(device), ranks_(ranks) {
    use_in_this_thread();
    cuda_check(cudaDeviceGetStreamPriorityRange(&lowest_priority_, &highest_priority_),
               "read stream priorities");
    cuda_check(cudaGetDeviceProperties(&properties_, device_), "read the device's properties");
  }

  std::unique_ptr<Queue> make_queue(Priority priority) override {
    return std::make_unique<CudaQueue>(priority == Priority::urgent ? highest_priority_ : lowest_priority_);
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<CudaEvent>(); }
  void* allocate(std::size_t bytes, Memory memory) override {
    void* at = nullptr;
    const std::size_t at_least_one = bytes > 0 ? bytes : 1;
    if (memory == Memory::device)
      cuda_check(cudaMalloc(&at, at_least_one),
                 ("allocate " + std::to_string(bytes) + " bytes of device memory, of which " +
                  std::to_string(this->memory().free_bytes) + " are free; use more GPUs")
                     .c_str());
    else
      cuda_check(cudaMallocHost(&at, at_least_one), "allocate pinned host memory");
    return at;
  }
  void release(void* at, Memory memory) noexcept override {
    memory == Memory::device ? cudaFree(at) : cudaFreeHost(at);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    if (!kept_copies_.copy(to, from, bytes)) uploads_.copy(to, from, bytes);
  }
  std::unique_ptr<KeptCopy> keep_copy(const void* from, std::size_t bytes) override {
    return kept_copies_.keep(from, bytes);
  }
  const void* kept_copy(const void* from, std::size_t bytes) const override {
    return kept_copies_.find(from, bytes);
  }
  void pin(void* at, std::size_t bytes) override {
    cuda_check(cudaHostRegister(at, bytes, cudaHostRegisterDefault), "pin shared host memory");
  }
  void unpin(void* at) noexcept override { cudaHostUnregister(at); }
  std::unique_ptr<LentMemory> allocate_shared(std::size_t bytes) override {
    return lend_device_memory(bytes);
  }
  std::unique_ptr<SharedMemory> map_shared(const std::string& handle) override {
    return map_device_memory(parse_lent_handle(handle));
  }
  std::size_t cache_bytes() const override {
    return static_cast<std::size_t>(properties_.l2CacheSize / ranks_);
  }
  MemoryInfo memory() const override {
    MemoryInfo info;
    cuda_check(cudaMemGetInfo(&info.free_bytes, &info.total_bytes), "read the device's free memory");
    return share_of(info, ranks_);
  }
  void use_in_this_thread() override { cuda_check(cudaSetDevice(device_), "choose the device"); }
  int enter() override {
    int before = 0;
    cuda_check(cudaGetDevice(&before), "ask for the caller's device");
    if (before != device_) use_in_this_thread();
    return before;
  }
  void leave(int before) noexcept override {
    if (before != device_) cudaSetDevice(before);
  }
  bool reaches(const void* at) const override {
    cudaPointerAttributes found{};
    cuda_check(cudaPointerGetAttributes(&found, at), "ask where memory lies");
    if (found.type == cudaMemoryTypeManaged) return true;
    if (found.type != cudaMemoryTypeDevice) return false;
    if (found.device == device_) return true;
    throw Error(ExitCode::usage, "memory of GPU " + std::to_string(found.device) +
                                     " was given, but products run on GPU " + std::to_string(device_) +
                                     ": name the GPU by option device");
  }
  std::string describe() const override {
    return std::string(properties_.name) + " (device " + std::to_string(device_) + ", " +
           std::to_string(properties_.totalGlobalMem >> 30) + " GiB, " +
           std::to_string(properties_.multiProcessorCount) + " multiprocessors)";
  }
  std::string identity() const override {
    int driver = 0;
    cuda_check(cudaDriverGetVersion(&driver), "ask for the driver's version");
    return std::string(properties_.name) + " (" + std::to_string(properties_.multiProcessorCount) +
           " multiprocessors), driver " + std::to_string(driver);
  }
  const char* name() const override { return "cuda"; }
  std::string gpu_name() const override { return properties_.name; }
  double gpu_clock_mhz() const override {
    int khz = 0;
    cuda_check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device_), "read the device's clock");
    return khz * 1e-3;
  }
  bool runs_host_code() const override { return false; }
  std::string device_id() const override { return pci_address(device_); }
  std::string device_uuid() const override { return uuid_of(properties_); }
  bool runs_beside_others() const override { return under_mps(device_); }
  void share_device(int ranks) override { ranks_ = ranks; }
  std::string why_no_peer(const std::string& device_id) const override {
    int other = 0, can = 0;
    if (device_id == this->device_id()) return {};
    if (cudaDeviceGetByPCIBusId(&other, device_id.c_str()) != cudaSuccess) {
      cudaGetLastError();  // the question failed, the program did not
      return "this rank does not see GPU " + device_id;
    }
    cuda_check(cudaDeviceCanAccessPeer(&can, device_, other), "ask about another GPU's memory");
    return can != 0 ? std::string() : "the driver allows no access to GPU " + device_id;
  }

 private:
  int device_;
  int ranks_;  // that use this device
  int lowest_priority_ = 0;
  int highest_priority_ = 0;
  cudaDeviceProp properties_{};
  UploadRing uploads_{*this};
  KeptCopies kept_copies_{*this};
};

}  // namespace

namespace {

/// Empty if this binary has code for all GPUs, else the reason. Makes no context on any of them.
std::string why_too_old(int count) {
  constexpr int built_for[] = {
      __CUDA_ARCH_LIST__};  // such as 800, 900; later ones run from the PTX beside them
  int least = built_for[0];
  for (const int architecture : built_for) least = architecture < least ? architecture : least;
  for (int device = 0; device < count; ++device) {
    int major = 0, minor = 0;
    cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
               "ask a device's age");
    cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
               "ask a device's age");
    if (major * 100 + minor * 10 < least)
      return "no usable GPU: device " + std::to_string(device) + " has compute capability " +
             std::to_string(major) + "." + std::to_string(minor) + ", this binary is for " +
             std::to_string(least / 100) + "." + std::to_string(least / 10 % 10) +
             " and later; build with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(major * 10 + minor) +
             ", or use --backend host";
  }
  return {};
}

}  // namespace

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return why_too_old(count);
  cudaGetLastError();  // the question failed, the program did not
  return std::string("no usable GPU: ") +
         (status == cudaSuccess ? "the driver shows none" : cudaGetErrorString(status)) +
         "; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --backend host";
}

int gpu_of_this_thread() {
  int device = -1;
  if (cudaGetDevice(&device) == cudaSuccess) return device;
  cudaGetLastError();  // the question failed, the program did not
  return -1;
}

std::vector<std::string> visible_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // the question failed, the program did not
    return {};
  }
  std::vector<std::string> all;
  for (int device = 0; device < count; ++device) all.push_back(pci_address(device));
  return all;
}

std::shared_ptr<Backend> make_cuda_backend(const DeviceRequest& request) {
  const std::string reason = why_no_cuda();
  if (!reason.empty()) throw Error(ExitCode::environment, reason);
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count), "count the devices");
  // A launcher may show a rank its own GPU only: then it is the one visible, whatever the rank.
  // In that case it is taken as this rank's own, until share_device() tells.
  if (request.device >= count)
    throw Error(ExitCode::environment, "GPU " + std::to_string(request.device) +
                                           " was asked for, but this rank sees " + std::to_string(count) +
                                           ", numbered from 0");
  const int ranks = count > 1 ? (request.ranks_on_node + count - 1) / count : 1;
  return std::make_shared<CudaBackend>(request.device >= 0 ? request.device : request.rank_on_node % count,
                                       ranks);
}

}  // namespace spmv
