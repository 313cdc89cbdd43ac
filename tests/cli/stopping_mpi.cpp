// An MPI in which rank STOPPED_RANK stops for ever, to preload into the program: before MPI starts, inside its start, or
// at its end, as STOPPED_AT says ("before", "start", "end"). A rank that is swapped out, or whose node is frozen.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <mpi.h>

namespace {

void stop_at(const char* place) {
  const char* const at = std::getenv("STOPPED_AT");
  const char* const stopped = std::getenv("STOPPED_RANK");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  if (at != nullptr && stopped != nullptr && rank != nullptr && std::strcmp(at, place) == 0 &&
      std::strcmp(rank, stopped) == 0)
    std::raise(SIGSTOP);
}

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  stop_at("before");
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  stop_at("start");
  return result;
}

extern "C" int MPI_Finalize() {
  stop_at("end");
  return PMPI_Finalize();
}
