// What a build without CUDA has instead of core's .cu files.
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/peer_memory.hpp"
#include "core/range.hpp"

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

void launch_send_cuda(const PeerView&, const SendSource&, std::size_t, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

void launch_arrive_cuda(const PeerView&, std::byte*, std::size_t, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

Range::Range(const char*) noexcept {}

Range::~Range() = default;

}  // namespace spmv
