#include "comm/failure_news.hpp"

#include <vector>

#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "comm/patience.hpp"

namespace spmv {
namespace {

constexpr int news_tag = 2;  // all_to_all's messages on the same communicator have 1

MPI_Comm comm_of(const Communicator& ranks) {
  return *static_cast<const MPI_Comm*>(ranks.handle());
}

void wait_for_all(std::vector<MPI_Request>& requests, const char* doing) {
  Patience patience;
  for (int done = 0; done == 0;) {
    mpi_check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              doing);
    if (done == 0) patience.pause();
  }
}

}  // namespace

// The messages are empty: that one has come is all there is to say.
bool FailureNews::receive_one() {
  const MPI_Comm comm = comm_of(ranks_);
  int there = 0;
  MPI_Status status;
  mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, news_tag, comm, &there, &status), "look for news of failures");
  if (there == 0) return false;
  std::vector<MPI_Request> request(1, MPI_REQUEST_NULL);
  mpi_check(MPI_Irecv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, news_tag, comm, request.data()),
            "receive news of a failure");
  wait_for_all(request, "receive news of a failure");
  ++received_;
  return true;
}

void FailureNews::check() {
  if (received_ > 0 || receive_one()) throw OtherRankFailed();
}

void FailureNews::settle(bool failed) {
  std::vector<MPI_Request> sends;
  for (int rank = 0; failed && rank < ranks_.size(); ++rank)
    if (rank != ranks_.rank())
      mpi_check(MPI_Isend(nullptr, 0, MPI_BYTE, rank, news_tag, comm_of(ranks_),
                          &sends.emplace_back(MPI_REQUEST_NULL)),
                "tell the other ranks of a failure");
  const auto expected = static_cast<int>(ranks_.sum(gidx{failed ? 1 : 0})) - (failed ? 1 : 0);
  Patience patience;
  while (received_ < expected)
    if (!receive_one()) patience.pause();
  if (!sends.empty()) wait_for_all(sends, "tell the other ranks of a failure");
}

}  // namespace spmv
