#include "core/backend.hpp"
#include "core/error.hpp"

namespace spmv {
namespace {

std::string always_usable() {
  return {};
}

[[noreturn]] void refuse_to_share(const char* backend) {
  throw Error(ExitCode::environment,
              std::string("backend ") + backend + " shares no memory between ranks: use another transport");
}

[[noreturn]] void refuse_streams() {
  throw Error(ExitCode::usage,
              "a CUDA stream was given, but the products run on the host: use backend cuda, or no stream");
}

}  // namespace

void Backend::upload(void* to, const void* from, std::size_t bytes) {
  const auto queue = make_queue(Priority::normal);
  queue->copy(to, from, bytes, Copy::to_device);
  queue->synchronize();
}

std::unique_ptr<LentMemory> Backend::allocate_shared(std::size_t) {
  refuse_to_share(name());
}

std::unique_ptr<SharedMemory> Backend::map_shared(const std::string&) {
  refuse_to_share(name());
}

void Queue::wait_for_stream(void*) {
  refuse_streams();
}

void Queue::hold_stream(void*) {
  refuse_streams();
}

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> table = {
      {"host", "this machine's cores (OpenMP)", always_usable, make_host_backend},
      {"cuda", "NVIDIA GPUs, shared round robin by the ranks of a node", why_no_cuda, make_cuda_backend},
      {"debug", "an asynchronous stand-in for a GPU, for tests", always_usable, make_debug_backend},
  };
  return table;
}

}  // namespace spmv
