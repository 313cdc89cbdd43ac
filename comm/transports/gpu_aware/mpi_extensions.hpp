// What an MPI library says of itself beyond the standard. CMake picks the source by what mpi.h and mpi-ext.h
// offer.
#pragma once

#include <optional>

namespace spmv {

/// Whether MPI takes pointers to CUDA memory; nothing where the library has no way to tell. Local.
std::optional<bool> mpi_takes_cuda_memory();

/// How it was asked, for messages.
const char* mpi_cuda_question();

}  // namespace spmv
