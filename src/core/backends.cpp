#include "core/backend.hpp"

namespace spmv {
namespace {

std::string always_usable() {
  return {};
}

}  // namespace

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> table = {
      {"host", "this machine's cores (OpenMP)", always_usable, make_host_backend},
      {"cuda", "NVIDIA GPUs, shared round robin by the ranks of a node", why_no_cuda, make_cuda_backend},
      {"debug", "an asynchronous stand-in for a GPU, for tests", always_usable, make_debug_backend},
  };
  return table;
}

}  // namespace spmv
