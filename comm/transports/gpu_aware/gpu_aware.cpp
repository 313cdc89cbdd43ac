// MPI knows no queues: what it sends must be complete when a message starts, what it receives into must no
// longer be read. Both hold once `ready` is reached, which comes after all earlier work that reads x. The
// halo is known only in finish, so receives are posted there, straight into it: receive buffers of the
// transport's own could be posted earlier, but would cost a copy of the whole halo. Messages that come before
// are MPI's to keep or to hold back.
#include <utility>

#include <fmt/format.h>

#include "comm/transports/awaited.hpp"
#include "comm/transports/gpu_aware/mpi_extensions.hpp"
#include "comm/transports/make.hpp"
#include "comm/transports/staging/messages.hpp"

namespace spmv {
namespace {

/// Persistent messages, a set of them for each place in memory that they read or write. Products alternate
/// between few vectors: the sets for the last few places are kept, and the oldest set gives way to a new one.
template <class Place>
class MessagesByPlace {
 public:
  template <class Make>
  Messages& at(Place* place, const Make& make) {
    for (auto& [made_for, messages] : list_)
      if (made_for == place) return messages;
    constexpr std::size_t most = 4;
    if (list_.size() == most) list_.erase(list_.begin());
    list_.emplace_back(place, make(place));
    return list_.back().second;
  }

 private:
  std::vector<std::pair<Place*, Messages>> list_;
};

class GpuAwareExchange final : public HaloExchange {
 public:
  explicit GpuAwareExchange(const ExchangeSetup& setup)
      : communicator_(setup.communicator),
        plan_(setup.plan),
        bytes_(setup.element_bytes),
        tag_(setup.first_tag),
        queue_(setup.backend->make_queue(Priority::urgent)) {
    for (const Neighbour& n : plan_->neighbours) {
      if (n.receive_count > 0) from_.add(n.rank, 1);
      if (n.send_count > 0) to_.add(n.rank, 1);
      receives_any_ = receives_any_ || n.receive_count > 0;
    }
  }

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    if (plan_->neighbours.empty()) return;
    own_step_.begin("its own elements to be gathered");
    queue_->wait(ready);
    queue_->synchronize();
    if (log != nullptr) log->begin(Phase::mpi);
    from_.expect_all();
    to_.expect_all();
    sending_ = &sends_.at(send_buffer, [&](const std::byte* place) { return make_sends(place); });
    sending_->start_all();
    own_step_.end();
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (plan_->neighbours.empty()) return;
    Messages& receiving = receives_.at(halo, [&](std::byte* place) { return make_receives(place); });
    receiving.start_all();
    wait_for(receiving, from_);
    if (receives_any_) queue_->record(arrived);  // reached at once: MPI has written the halo
    wait_for(*sending_, to_);
    if (log != nullptr) log->end(Phase::mpi);
  }

  void poison() override {}  // it has no memory of its own

  std::string waiting_for() const override {
    for (const std::string& text : {own_step_.text(), from_.text()})
      if (!text.empty()) return text;
    return to_.text();
  }

 private:
  Messages make_sends(const std::byte* send_buffer) const {
    Messages messages(communicator_, bytes_);
    for (const Neighbour& n : plan_->neighbours)
      if (n.send_count > 0)
        messages.add_send(send_buffer + in_bytes(n.send_offset), n.send_count, n.rank, tag_);
    return messages;
  }
  Messages make_receives(std::byte* halo) const {
    Messages messages(communicator_, bytes_);
    for (const Neighbour& n : plan_->neighbours)
      if (n.receive_count > 0)
        messages.add_receive(halo + in_bytes(n.receive_offset), n.receive_count, n.rank, tag_);
    return messages;
  }

  /// Messages and ranks have the same numbers: one message each.
  static void wait_for(Messages& messages, Awaited& ranks) {
    messages.wait([&](std::size_t message) { ranks.came(message); });
  }

  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  Communicator communicator_;
  std::shared_ptr<const HaloPlan> plan_;
  std::size_t bytes_;  // of an element
  int tag_;            // of its messages: there is one each way
  std::unique_ptr<Queue> queue_;
  MessagesByPlace<const std::byte> sends_;
  MessagesByPlace<std::byte> receives_;
  Messages* sending_ = nullptr;
  bool receives_any_ = false;
  OwnStep own_step_;
  Awaited from_{"messages from"};
  Awaited to_{"messages to"};
};

/// Whether device memory is like any other.
bool is_host(const Backend& backend) {
  return std::string(backend.name()) == "host";
}

/// Of this rank.
std::string why_not_here(const Backend& backend) {
  if (is_host(backend))
    return "vectors of backend host are in host memory, and no GPU takes part: use transport mpi";
  const std::string name = backend.name();
  if (name != "cuda")
    return fmt::format(
        "transport gpu_aware hands device memory to MPI, and that of backend {} is out of MPI's reach: "
        "use another transport, or --backend host or cuda",
        name);
  const std::optional<bool> takes = mpi_takes_cuda_memory();
  if (!takes)
    return fmt::format(
        "transport gpu_aware needs an MPI that takes device memory, and {} cannot be asked whether it does: "
        "use Open MPI or MPICH with CUDA support, or another transport",
        MpiSession::library());
  if (!*takes)
    return fmt::format(
        "{} says that it takes no device memory ({}): use an MPI built with CUDA support (Open MPI: "
        "--with-cuda), or another transport than gpu_aware",
        MpiSession::library(), mpi_cuda_question());
  return {};
}

}  // namespace

std::string why_no_mpi(const ExchangeSetup& setup) {
  return setup.communicator.first_text(
      is_host(*setup.backend)
          ? ""
          : fmt::format("transport mpi is for vectors in host memory, and those of backend {} are not: use "
                        "transport staged, or gpu_aware",
                        setup.backend->name()));
}

std::string why_no_gpu_aware(const ExchangeSetup& setup) {
  return setup.communicator.first_text(why_not_here(*setup.backend));
}

std::unique_ptr<HaloExchange> make_mpi_exchange(const ExchangeSetup& setup) {
  return setup.communicator.together([&] { return std::make_unique<GpuAwareExchange>(setup); });
}

}  // namespace spmv
