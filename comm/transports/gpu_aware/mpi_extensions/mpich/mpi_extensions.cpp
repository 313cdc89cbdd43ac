// MPICH from 4.0, and libraries made from it.
#include "comm/transports/gpu_aware/mpi_extensions.hpp"

#include <mpi.h>

namespace spmv {

std::optional<bool> mpi_takes_cuda_memory() {
  int yes = 0;
  if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) != MPI_SUCCESS) return std::nullopt;
  return yes != 0;
}

const char* mpi_cuda_question() {
  return "MPIX_GPU_query_support";
}

}  // namespace spmv
