# Finds MPI and how it can be asked whether it takes CUDA memory: SPMV_MPI_EXTENSIONS is open_mpi, mpich or off.
find_package(MPI REQUIRED COMPONENTS C)
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_c_source_compiles("
#include <mpi.h>
#include <mpi-ext.h>
int main(void) { return MPIX_Query_cuda_support(); }" SPMV_MPI_LIKE_OPEN_MPI)
check_c_source_compiles("
#include <mpi.h>
int main(void) { int yes = 0; return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes); }" SPMV_MPI_LIKE_MPICH)
unset(CMAKE_REQUIRED_LIBRARIES)
set(SPMV_MPI_EXTENSIONS off)
if(SPMV_MPI_LIKE_OPEN_MPI)
  set(SPMV_MPI_EXTENSIONS open_mpi)
elseif(SPMV_MPI_LIKE_MPICH)
  set(SPMV_MPI_EXTENSIONS mpich)
endif()
message(STATUS "MPI can be asked about CUDA memory: ${SPMV_MPI_EXTENSIONS}")
