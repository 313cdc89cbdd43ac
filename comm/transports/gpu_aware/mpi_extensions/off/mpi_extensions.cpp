// Libraries that cannot be asked.
#include "comm/transports/gpu_aware/mpi_extensions.hpp"

namespace spmv {

std::optional<bool> mpi_takes_cuda_memory() {
  return std::nullopt;
}

const char* mpi_cuda_question() {
  return "";
}

}  // namespace spmv
