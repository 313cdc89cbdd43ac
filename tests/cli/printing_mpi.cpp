// An MPI that prints, as libraries do with their debug settings (NCCL_DEBUG, UCX_LOG_LEVEL, I_MPI_DEBUG).
// Preloaded.
#include <cstdio>
#include <iostream>

#include <mpi.h>

extern "C" {

int MPI_Init_thread(int* count, char*** arguments, int wanted, int* given) {
  std::printf("in C\n");
  std::fputs("in C, too\n", stdout);
  std::cout << "in C++" << std::endl;
  return PMPI_Init_thread(count, arguments, wanted, given);
}

int MPI_Finalize() {
  std::puts("at the end");
  return PMPI_Finalize();
}
}
