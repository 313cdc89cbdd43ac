// A network that corrupts data. Preloaded, it overwrites the first bytes of every message of a persistent
// receive, for tests of runs with a wrong result.
#include <algorithm>
#include <cstring>
#include <map>

#include <mpi.h>

namespace {

struct Message {
  void* at;
  std::size_t bytes;
};
std::map<MPI_Request, Message> messages;  // a persistent request keeps its handle

}  // namespace

extern "C" {

int MPI_Recv_init(void* at, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  int element_bytes = 0;
  PMPI_Type_size(type, &element_bytes);
  const int status = PMPI_Recv_init(at, count, type, source, tag, comm, request);
  messages[*request] = {at, static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes)};
  return status;
}

int MPI_Testsome(int count, MPI_Request* requests, int* ended, int* numbers, MPI_Status* statuses) {
  const int status = PMPI_Testsome(count, requests, ended, numbers, statuses);
  for (int i = 0; i < *ended; ++i) {
    const auto message = messages.find(requests[numbers[i]]);
    if (message != messages.end())
      std::memset(message->second.at, 0x11, std::min<std::size_t>(message->second.bytes, 8));
  }
  return status;
}

int MPI_Request_free(MPI_Request* request) {
  messages.erase(*request);
  return PMPI_Request_free(request);
}

}  // extern "C"
