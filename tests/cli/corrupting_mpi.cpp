// A network that changes what it carries. Loaded before MPI, it overwrites the first bytes of every message
// that a persistent receive brings, so that a test can see a run with a wrong result.
#include <algorithm>
#include <cstring>
#include <vector>

#include <mpi.h>

namespace {

struct Message {
  void* at;
  std::size_t bytes;
};
std::vector<Message> messages;

}  // namespace

extern "C" {

int MPI_Recv_init(void* at, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  int element_bytes = 0;
  PMPI_Type_size(type, &element_bytes);
  messages.push_back({at, static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes)});
  return PMPI_Recv_init(at, count, type, source, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const int status = PMPI_Waitall(count, requests, statuses);
  for (const Message& message : messages)
    std::memset(message.at, 0x11, std::min<std::size_t>(message.bytes, 8));
  return status;
}

int MPI_Request_free(MPI_Request* request) {
  messages.clear();  // their memory goes next
  return PMPI_Request_free(request);
}

}  // extern "C"
