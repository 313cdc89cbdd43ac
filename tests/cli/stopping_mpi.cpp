// An MPI in which one rank stops for ever, as if swapped out or on a frozen node. Preloaded into the program.
// STOPPED_AT says where rank STOPPED_RANK stops: before MPI starts ("before"), during its start ("start"), at
// its end ("end"), or just after its 400th barrier ("product"). The program begins every timed product with a
// barrier, and makes far fewer barriers before, so that the others then wait for this rank's part of the
// halo. The clock of rank LATE_RANK is slow by a fiftieth.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

MPI_Request barrier = MPI_REQUEST_NULL;  // the barrier in progress; only the thread of the products has one

/// Whether the environment variable names this rank.
bool is_rank(const char* variable) {
  const char* const named = std::getenv(variable);
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  return named != nullptr && rank != nullptr && std::strcmp(rank, named) == 0;
}

void stop_at(const char* place) {
  const char* const at = std::getenv("STOPPED_AT");
  if (at != nullptr && std::strcmp(at, place) == 0 && is_rank("STOPPED_RANK")) std::raise(SIGSTOP);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, now);
  static const bool late = is_rank("LATE_RANK");
  if (result != 0 || clock != CLOCK_MONOTONIC || !late) return static_cast<int>(result);
  static const time_t begin = now->tv_sec;
  constexpr long long second = 1'000'000'000;
  const long long since = (now->tv_sec - begin) * second + now->tv_nsec;
  const long long slow = since - since / 50;
  now->tv_sec = begin + static_cast<time_t>(slow / second);
  now->tv_nsec = static_cast<long>(slow % second);
  return 0;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  stop_at("before");
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  stop_at("start");
  return result;
}

extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Ibarrier(comm, request);
  barrier = *request;
  return result;
}

extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const bool is_barrier = barrier != MPI_REQUEST_NULL && *request == barrier;
  const int result = PMPI_Test(request, done, status);
  if (is_barrier && *done != 0) {
    static int ended = 0;
    barrier = MPI_REQUEST_NULL;
    if (++ended == 400) stop_at("product");
  }
  return result;
}

// With NOTE_OF_END=PREFIX every rank that gets here creates the file PREFIX.RANK.
extern "C" int MPI_Finalize() {
  const char* const prefix = std::getenv("NOTE_OF_END");
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (prefix != nullptr)
    std::ofstream(std::string(prefix) + "." + (rank != nullptr ? rank : std::getenv("PMI_RANK")));
  stop_at("end");
  return PMPI_Finalize();
}
