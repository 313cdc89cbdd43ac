#include "comm/transports/staging/messages.hpp"

#include <utility>

#include <mpi.h>

#include "comm/mpi_check.hpp"

namespace spmv {

struct Messages::Requests {
  Requests(Communicator made_on, std::size_t element_bytes) : communicator(std::move(made_on)) {
    // An element is one datatype, so that counts stay within int for every halo.
    mpi_check(MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element), "make a datatype");
    mpi_check(MPI_Type_commit(&element), "commit a datatype");
  }
  ~Requests() {
    if (mpi_has_ended()) return;
    for (MPI_Request& request : list) MPI_Request_free(&request);
    MPI_Type_free(&element);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  MPI_Comm comm() const { return *static_cast<MPI_Comm*>(communicator.handle()); }
  /// Space for one more.
  MPI_Request* add() {
    list.push_back(MPI_REQUEST_NULL);
    numbers.reserve(list.size());
    return &list.back();
  }

  Communicator communicator;
  MPI_Datatype element = MPI_DATATYPE_NULL;
  std::vector<MPI_Request> list;
  std::vector<int> numbers;
  std::size_t under_way = 0;
};

Messages::Messages(const Communicator& communicator, std::size_t element_bytes)
    : requests_(std::make_unique<Requests>(communicator, element_bytes)) {}
Messages::~Messages() = default;
Messages::Messages(Messages&& other) noexcept = default;
Messages& Messages::operator=(Messages&& other) noexcept = default;

void Messages::add_receive(std::byte* to, lidx elements, int source, int tag) {
  mpi_check(MPI_Recv_init(to, elements, requests_->element, source, tag, requests_->comm(), requests_->add()),
            "prepare a receive");
}

void Messages::add_send(const std::byte* from, lidx elements, int target, int tag) {
  mpi_check(
      MPI_Send_init(from, elements, requests_->element, target, tag, requests_->comm(), requests_->add()),
      "prepare a send");
}

void Messages::start(std::size_t first, std::size_t count) {
  if (count == 0) return;  // starting an empty list is an error in Open MPI 4.1
  mpi_check(MPI_Startall(static_cast<int>(count), requests_->list.data() + first),
            "start the halo's messages");
  requests_->under_way += count;
}

const std::vector<int>& Messages::ended() {
  std::vector<int>& numbers = requests_->numbers;
  numbers.resize(requests_->list.size());
  int count = 0;
  if (requests_->under_way > 0)
    mpi_check(MPI_Testsome(static_cast<int>(numbers.size()), requests_->list.data(), &count, numbers.data(),
                           MPI_STATUSES_IGNORE),
              "move the halo's messages");
  numbers.resize(static_cast<std::size_t>(count));
  requests_->under_way -= numbers.size();
  return numbers;
}

std::size_t Messages::under_way() const {
  return requests_->under_way;
}

std::size_t Messages::size() const {
  return requests_->list.size();
}

}  // namespace spmv
