#include "core/error.hpp"
#include "core/peer_memory.hpp"

namespace spmv {

void launch_put_cuda(const PeerView&, const PutSource&, std::size_t, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

void launch_arrive_cuda(const PeerView&, std::byte*, std::size_t, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

}  // namespace spmv
