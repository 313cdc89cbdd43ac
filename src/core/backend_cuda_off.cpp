// Stands in for backend_cuda.cu in a build without CUDA.
#include "core/backend.hpp"
#include "core/error.hpp"

namespace spmv {

std::string why_no_cuda() {
  return "this build has no CUDA: configure with -DSPMV_CUDA=ON on a machine with nvcc, or use --backend "
         "host";
}

std::shared_ptr<Backend> make_cuda_backend(const DeviceRequest&) {
  throw Error(ExitCode::environment, why_no_cuda());
}

int gpu_of_this_thread() {
  return -1;
}

std::vector<std::string> visible_gpus() {
  return {};
}

}  // namespace spmv
