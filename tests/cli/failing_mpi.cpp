// An MPI whose 200th start of several messages fails on rank 1, to preload into the program: what a CUDA or MPI
// error in the middle of a product looks like, on one rank while the others wait for its messages.
#include <mpi.h>

extern "C" int MPI_Startall(int count, MPI_Request* requests) {
  static int calls = 0;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 1 && ++calls >= 200 ? MPI_ERR_OTHER : PMPI_Startall(count, requests);
}
