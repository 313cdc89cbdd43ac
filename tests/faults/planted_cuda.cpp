// CUDA's run-time functions with planted faults: see planted.cpp.
#include <array>
#include <atomic>

#include <cuda_runtime_api.h>

#include "planted.hpp"

namespace {

using planted::Action;
using planted::at;
using planted::Call;
using planted::next;

// After these errors CUDA answers every call of the process with the same error: the memory is corrupt, a
// kernel has failed, or the device is lost.
constexpr std::array lasting = {cudaErrorECCUncorrectable, cudaErrorLaunchFailure, cudaErrorUnknown};
std::atomic<cudaError_t> for_good{cudaSuccess};
// The result of cudaGetLastError, which reports failed launches.
thread_local cudaError_t last = cudaSuccess;

cudaError_t planted_error(Call& call, void* returns_to, cudaError_t usual) {
  const Action action = at(call, returns_to);
  if (const cudaError_t error = for_good.load(); error != cudaSuccess) return last = error;
  if (action.kind == Action::nothing) return cudaSuccess;
  const auto error = action.error != 0 ? static_cast<cudaError_t>(action.error) : usual;
  for (const cudaError_t each : lasting)
    if (each == error) for_good = error;
  return last = error;
}

}  // namespace

extern "C" {

#define SPMV_TEXT_OF(name) #name
#define SPMV_TEXT(name) SPMV_TEXT_OF(name)
#define SPMV_CUDA_CALL(name, usual, parameters, arguments)                                        \
  cudaError_t name parameters {                                                                   \
    static Call call{SPMV_TEXT(name)};                                                            \
    if (const cudaError_t error = planted_error(call, SPMV_RETURNS, usual); error != cudaSuccess) \
      return error;                                                                               \
    static auto* const real = next(&name, SPMV_TEXT(name));                                       \
    return real arguments;                                                                        \
  }

// Memory
SPMV_CUDA_CALL(cudaMalloc, cudaErrorMemoryAllocation, (void** made, size_t bytes), (made, bytes))
SPMV_CUDA_CALL(cudaMallocHost, cudaErrorMemoryAllocation, (void** made, size_t bytes), (made, bytes))
SPMV_CUDA_CALL(cudaHostRegister, cudaErrorMemoryAllocation, (void* memory, size_t bytes, unsigned flags),
               (memory, bytes, flags))
SPMV_CUDA_CALL(cudaMemGetInfo, cudaErrorDevicesUnavailable, (size_t * free, size_t* total), (free, total))
SPMV_CUDA_CALL(cudaMemcpyAsync, cudaErrorInvalidValue,
               (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
               (to, from, bytes, kind, stream))
SPMV_CUDA_CALL(cudaMemset, cudaErrorInvalidValue, (void* memory, int value, size_t bytes),
               (memory, value, bytes))
SPMV_CUDA_CALL(cudaMemsetAsync, cudaErrorInvalidValue,
               (void* memory, int value, size_t bytes, cudaStream_t stream), (memory, value, bytes, stream))
SPMV_CUDA_CALL(cudaIpcGetMemHandle, cudaErrorNotSupported, (cudaIpcMemHandle_t * handle, void* memory),
               (handle, memory))
SPMV_CUDA_CALL(cudaIpcOpenMemHandle, cudaErrorMapBufferObjectFailed,
               (void** memory, cudaIpcMemHandle_t handle, unsigned flags), (memory, handle, flags))
SPMV_CUDA_CALL(cudaDeviceCanAccessPeer, cudaErrorInvalidDevice, (int* can, int device, int peer),
               (can, device, peer))
SPMV_CUDA_CALL(cudaPointerGetAttributes, cudaErrorInvalidValue,
               (cudaPointerAttributes * attributes, const void* memory), (attributes, memory))

// Devices
SPMV_CUDA_CALL(cudaGetDeviceCount, cudaErrorNoDevice, (int* count), (count))
SPMV_CUDA_CALL(cudaGetDevice, cudaErrorDevicesUnavailable, (int* device), (device))
SPMV_CUDA_CALL(cudaSetDevice, cudaErrorDevicesUnavailable, (int device), (device))
SPMV_CUDA_CALL(cudaGetDeviceProperties, cudaErrorInvalidDevice, (cudaDeviceProp * properties, int device),
               (properties, device))
SPMV_CUDA_CALL(cudaDeviceGetAttribute, cudaErrorInvalidValue, (int* value, cudaDeviceAttr which, int device),
               (value, which, device))
SPMV_CUDA_CALL(cudaDeviceGetPCIBusId, cudaErrorInvalidDevice, (char* text, int length, int device),
               (text, length, device))
SPMV_CUDA_CALL(cudaDeviceGetStreamPriorityRange, cudaErrorNotSupported, (int* least, int* greatest),
               (least, greatest))

// Streams, events and graphs
SPMV_CUDA_CALL(cudaStreamCreateWithPriority, cudaErrorMemoryAllocation,
               (cudaStream_t * stream, unsigned flags, int priority), (stream, flags, priority))
SPMV_CUDA_CALL(cudaStreamSynchronize, cudaErrorLaunchFailure, (cudaStream_t stream), (stream))
SPMV_CUDA_CALL(cudaStreamQuery, cudaErrorLaunchFailure, (cudaStream_t stream), (stream))
SPMV_CUDA_CALL(cudaStreamWaitEvent, cudaErrorLaunchFailure,
               (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
SPMV_CUDA_CALL(cudaStreamBeginCapture, cudaErrorNotSupported,
               (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
SPMV_CUDA_CALL(cudaEventCreate, cudaErrorMemoryAllocation, (cudaEvent_t * event), (event))
SPMV_CUDA_CALL(cudaEventCreateWithFlags, cudaErrorMemoryAllocation, (cudaEvent_t * event, unsigned flags),
               (event, flags))
SPMV_CUDA_CALL(cudaEventRecord, cudaErrorLaunchFailure, (cudaEvent_t event, cudaStream_t stream),
               (event, stream))
SPMV_CUDA_CALL(cudaEventSynchronize, cudaErrorLaunchFailure, (cudaEvent_t event), (event))
SPMV_CUDA_CALL(cudaEventElapsedTime, cudaErrorNotReady, (float* ms, cudaEvent_t from, cudaEvent_t to),
               (ms, from, to))
SPMV_CUDA_CALL(cudaGraphInstantiate, cudaErrorMemoryAllocation,
               (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags), (made, graph, flags))
SPMV_CUDA_CALL(cudaGraphLaunch, cudaErrorLaunchFailure, (cudaGraphExec_t graph, cudaStream_t stream),
               (graph, stream))

// Kernels
SPMV_CUDA_CALL(cudaLaunchKernel, cudaErrorLaunchOutOfResources,
               (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                cudaStream_t stream),
               (kernel, grid, block, arguments, shared, stream))
SPMV_CUDA_CALL(cudaLaunchKernelExC, cudaErrorLaunchOutOfResources,
               (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
               (config, kernel, arguments))
SPMV_CUDA_CALL(cudaFuncGetAttributes, cudaErrorInvalidDeviceFunction,
               (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel))
SPMV_CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaErrorInvalidDeviceFunction,
               (int* blocks, const void* kernel, int threads, size_t shared),
               (blocks, kernel, threads, shared))

// A recording that fails to end yields no graph.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  static Call call{"cudaStreamEndCapture"};
  static auto* const real = next(&cudaStreamEndCapture, "cudaStreamEndCapture");
  const cudaError_t error = planted_error(call, SPMV_RETURNS, cudaErrorStreamCaptureInvalidated);
  const cudaError_t status = real(stream, graph);  // the stream stops recording either way
  if (error == cudaSuccess) return status;
  *graph = nullptr;
  return error;
}

cudaError_t cudaGetLastError() {
  static auto* const real = next(&cudaGetLastError, "cudaGetLastError");
  const cudaError_t error = last;
  last = for_good.load();
  const cudaError_t status = real();
  return error != cudaSuccess ? error : status;
}

}  // extern "C"
