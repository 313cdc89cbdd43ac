// Open MPI, and libraries made from it.
#include "comm/transports/gpu_aware/mpi_extensions.hpp"

#include <mpi.h>
// Needs mpi.h before it.
#include <mpi-ext.h>

namespace spmv {

std::optional<bool> mpi_takes_cuda_memory() {
  return MPIX_Query_cuda_support() == 1;
}

const char* mpi_cuda_question() {
  return "MPIX_Query_cuda_support";
}

}  // namespace spmv
