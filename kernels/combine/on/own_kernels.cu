#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <cuda_runtime.h>

#include "core/cache_folder.hpp"
#include "core/cuda_check.hpp"
#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "kernels/combine/kept_code.hpp"
#include "kernels/combine/nvrtc.hpp"
#include "kernels/combine/own_kernels.hpp"

namespace spmv {
namespace {

/// The compiler, and why a kernel could not be had. May be used by several threads at once.
class Compiler {
 public:
  static Compiler& of_process() {
    static Compiler compiler;
    return compiler;
  }
  /// From memory that is kept, or compiled now; nothing if that fails.
  std::optional<std::string> code(const std::string& text, int chip) {
    const std::scoped_lock lock(mutex_);
    if (!nvrtc_) return {};
    const std::string how = "sm_" + std::to_string(chip) + ", NVRTC " + nvrtc_->version();
    if (auto kept = kept_.find(text, how)) return kept;
    try {
      const std::string made = nvrtc_->compile(text, chip);
      kept_.keep(text, how, made);
      return made;
    } catch (const Error& error) {
      problem_ = error.what();
      return {};
    }
  }
  void fails(const std::string& problem) {
    const std::scoped_lock lock(mutex_);
    problem_ = problem;
  }
  std::string problem() {
    const std::scoped_lock lock(mutex_);
    return problem_;
  }

 private:
  Compiler() : kept_(folder()) {
    try {
      nvrtc_.emplace(CUDART_VERSION / 1000, reinterpret_cast<const void*>(&cudaGetErrorString));
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }
  static std::string folder() {
    const std::string all = cache_folder();
    return all.empty() ? all : all + "/kernels";
  }
  std::mutex mutex_;
  std::optional<Nvrtc> nvrtc_;
  KeptCode kept_;
  std::string problem_;
};

struct Kernel {
  const void* function = nullptr;  // nullptr: there is none
  int resident = 0;                // thread blocks that the device holds at once
  bool begins_early = false;
};

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, which, device), "read the device's properties");
  return value;
}

/// Kernels stay loaded until the process ends.
template <class T>
Kernel make_kernel(const Structure& structure, int device) {
  constexpr int first_that_begins_early = 90;
  const int chip = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                   attribute(cudaDevAttrComputeCapabilityMinor, device);
  const auto code = Compiler::of_process().code(kernel_text<T>(structure), chip);
  if (!code) return {};
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaError_t status = cudaLibraryLoadData(&library, code->data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (status == cudaSuccess) status = cudaLibraryGetKernel(&kernel, library, "combination");
  if (status != cudaSuccess) {
    cudaGetLastError();  // the other kernel goes on
    Compiler::of_process().fails(std::string("CUDA cannot load compiled kernels: ") +
                                 cudaGetErrorString(status));
    return {};
  }
  const auto* const function = reinterpret_cast<const void*>(kernel);
  return {function, ask_resident_blocks(function, device, kernel_threads, 0),
          chip >= first_that_begins_early};
}

/// The kernel of a structure on the current device. One that cannot be had is not tried again.
template <class T>
Kernel kernel_of(const Structure& structure) {
  static std::mutex mutex;
  static std::map<std::pair<int, Structure>, Kernel> known;
  int device = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  const std::scoped_lock lock(mutex);
  const auto at = known.find({device, structure});
  if (at != known.end()) return at->second;
  return known[{device, structure}] = make_kernel<T>(structure, device);
}

template <class T>
KernelArguments<T> arguments_of(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                                std::uint64_t line) {
  KernelArguments<T> a{};
  std::copy_n(data.at, most_vectors, a.vector);
  a.scalars = scalars;
  a.line = line;
  for (int i = 0; i < data.formula.steps(); ++i) a.constant[i] = data.formula.step(i).number;
  a.count = data.count;
  for (int i = 0; i < data.sums; ++i) a.parts_before[i] = data.parts_before[i];
  return a;
}

}  // namespace

template <class T>
int launch_own_kernel(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                      std::uint64_t line, void* stream) {
  const Kernel kernel = kernel_of<T>(structure_of(data));
  if (kernel.function == nullptr) return 0;
  const ColumnPacks packs = column_packs<T>(data.columns);
  const offset needed = (data.count / packs.pack + packs.threads - 1) / packs.threads;
  const auto blocks = static_cast<int>(std::clamp<offset>(needed, 1, std::min(kernel.resident, most_parts)));
  KernelArguments<T> arguments = arguments_of(data, scalars, line);
  void* each[] = {&arguments};
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kernel_threads);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &early;
  config.numAttrs = kernel.begins_early ? 1 : 0;
  cuda_check(cudaLaunchKernelExC(&config, kernel.function, each), "launch a combination");
  return blocks;
}

std::string why_no_own_kernels() {
  return Compiler::of_process().problem();
}

SPMV_INSTANTIATE(launch_own_kernel);

}  // namespace spmv
