#include "comm/transports/staged.hpp"

#include <cstring>

#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "core/buffer.hpp"

namespace spmv {
namespace {

/// An MPI datatype of so many bytes, so that counts stay within int for every halo.
class ElementType {
 public:
  explicit ElementType(std::size_t bytes) {
    mpi_check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "make a datatype");
    mpi_check(MPI_Type_commit(&type_), "commit a datatype");
  }
  ~ElementType() { MPI_Type_free(&type_); }
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Persistent requests that start and end together.
class Requests {
 public:
  Requests() = default;
  ~Requests() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  MPI_Request* add() {
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
  }
  void start() {
    // Starting an empty list is an error in Open MPI 4.1.
    if (!requests_.empty())
      mpi_check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()),
                "start the halo's messages");
  }
  void wait() {
    mpi_check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
              "finish the halo's messages");
  }

 private:
  std::vector<MPI_Request> requests_;
};

class StagedExchange final : public HaloExchange {
 public:
  explicit StagedExchange(const ExchangeSetup& setup)
      : communicator_(setup.communicator),
        plan_(setup.plan),
        bytes_(setup.element_bytes),
        element_(bytes_),
        send_staging_(setup.backend, elements_to_bytes(plan_->send_total()), Memory::staging),
        receive_staging_(setup.backend, elements_to_bytes(plan_->ghosts), Memory::staging),
        queue_(setup.backend->make_queue(Priority::urgent)),
        uploaded_(setup.backend->make_event()) {
    constexpr int tag = 2;
    MPI_Comm comm = *static_cast<MPI_Comm*>(communicator_.handle());
    for (const Neighbour& n : plan_->neighbours) {
      if (n.receive_count > 0)
        mpi_check(MPI_Recv_init(receive_staging_.data() + elements_to_bytes(n.receive_offset),
                                n.receive_count, element_.get(), n.rank, tag, comm, receives_.add()),
                  "prepare a receive");
      if (n.send_count > 0)
        mpi_check(MPI_Send_init(send_staging_.data() + elements_to_bytes(n.send_offset), n.send_count,
                                element_.get(), n.rank, tag, comm, sends_.add()),
                  "prepare a send");
    }
  }

  void start(const std::byte* packed, const Event& ready, PhaseLog* log) override {
    uploaded_->synchronize();  // the last upload still reads what the receives below overwrite
    receives_.start();
    queue_->wait(ready);  // also orders the upload below behind the last product that reads the halo
    if (plan_->send_total() > 0) {
      {
        const DevicePhase phase(log, Phase::d2h, *queue_);
        queue_->copy(send_staging_.data(), packed, send_staging_.bytes(), Copy::to_host);
      }
      queue_->synchronize();
    }
    if (logs(log)) log->begin(Phase::mpi);
    sends_.start();
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    receives_.wait();
    sends_.wait();
    if (logs(log)) log->end(Phase::mpi);
    if (plan_->ghosts == 0) return;
    {
      const DevicePhase phase(log, Phase::h2d, *queue_);
      queue_->copy(halo, receive_staging_.data(), receive_staging_.bytes(), Copy::to_device);
    }
    queue_->record(*uploaded_);
    queue_->record(arrived);
  }

  void poison() override {
    uploaded_->synchronize();
    std::memset(send_staging_.data(), 0xff, send_staging_.bytes());
    std::memset(receive_staging_.data(), 0xff, receive_staging_.bytes());
  }

 private:
  /// Whether there are messages to time and a log to time them in.
  bool logs(const PhaseLog* log) const { return log != nullptr && !plan_->neighbours.empty(); }
  std::size_t elements_to_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  Communicator communicator_;
  std::shared_ptr<const HaloPlan> plan_;
  std::size_t bytes_;
  ElementType element_;
  Buffer<std::byte> send_staging_;
  Buffer<std::byte> receive_staging_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> uploaded_;
  Requests receives_;
  Requests sends_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_staged_exchange(const ExchangeSetup& setup) {
  return setup.communicator.together([&] { return std::make_unique<StagedExchange>(setup); });
}

}  // namespace spmv
