// Staging memory holds the parts of the plan's neighbours only, one after the other in the order in which
// they are served, whatever lies between them in the send buffer and in the halo.
#include <cstring>

#include "comm/transports/awaited.hpp"
#include "comm/transports/make.hpp"
#include "comm/transports/staging/downloads.hpp"
#include "comm/transports/staging/messages.hpp"
#include "comm/transports/staging/pieces.hpp"
#include "comm/transports/staging/uploads.hpp"
#include "core/buffer.hpp"

namespace spmv {
namespace {

/// What all neighbours send or receive, in elements.
std::size_t total(const HaloPlan& plan, lidx Neighbour::*count) {
  std::size_t sum = 0;
  for (const Neighbour& n : plan.neighbours) sum += static_cast<std::size_t>(n.*count);
  return sum;
}

class StagedExchange final : public HaloExchange {
 public:
  explicit StagedExchange(const ExchangeSetup& setup)
      : bytes_(setup.element_bytes),
        first_tag_(setup.first_tag),
        send_staging_(setup.backend, total(*setup.plan, &Neighbour::send_count) * bytes_, Memory::staging),
        receive_staging_(setup.backend, total(*setup.plan, &Neighbour::receive_count) * bytes_,
                         Memory::staging),
        queue_(setup.backend->make_queue(Priority::urgent)),
        uploaded_(setup.backend->make_event()),
        downloads_(setup.backend),
        receives_(setup.communicator, bytes_),
        sends_(setup.communicator, bytes_) {
    std::byte* send_at = send_staging_.data();
    std::byte* receive_at = receive_staging_.data();
    for (const std::size_t i : serving_order(*setup.plan, setup.communicator.rank())) {
      const Neighbour& n = setup.plan->neighbours[i];
      receive_at = add_receives(n, receive_at);
      send_at = add_sends(n, send_at);
    }
  }

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    own_step_.begin("the upload of the exchange before");
    uploaded_->synchronize();  // it still reads what the receives below overwrite
    receives_.start_all();
    queue_->wait(ready);  // also orders the uploads below after the last product that reads the halo
    own_step_.begin("the copy of its own elements to the host");
    downloads_.queue(*queue_, send_buffer, 0, log);
    from_.expect_all();
    to_.expect_all();
    if (sends_.size() == 0 && logs(log)) log->begin(Phase::mpi);
    downloads_.wait(*queue_, [&](std::size_t first, std::size_t count) {
      if (first == 0 && log != nullptr) log->begin(Phase::mpi);
      sends_.start(first, count);
    });
    own_step_.end();
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    uploads_.begin(halo, log);
    receives_.wait([&](std::size_t message) {
      const Arrival& a = arrivals_[message];
      from_.came(a.source);
      uploads_.add(*queue_, a.halo_offset, a.at, a.bytes);
    });
    uploads_.end(*queue_);
    if (receives_.size() > 0) {
      queue_->record(*uploaded_);
      queue_->record(arrived);
    }
    // The device goes on meanwhile: only the next exchange needs the staging memory of the sends.
    sends_.wait([&](std::size_t message) { to_.came(targets_[message]); });
    if (logs(log)) log->end(Phase::mpi);
  }

  void poison() override {
    uploaded_->synchronize();
    std::memset(send_staging_.data(), 0xff, send_staging_.bytes());
    std::memset(receive_staging_.data(), 0xff, receive_staging_.bytes());
  }

  std::string waiting_for() const override {
    for (const std::string& text : {own_step_.text(), from_.text()})
      if (!text.empty()) return text;
    return to_.text();
  }

 private:
  /// Where a message's elements go.
  struct Arrival {
    std::size_t source;  // in from_
    std::size_t halo_offset;
    const std::byte* at;  // in staging memory
    std::size_t bytes;
  };

  /// One message for each piece, received at `at` and after; returns where the next neighbour's begin.
  std::byte* add_receives(const Neighbour& n, std::byte* at) {
    const std::vector<Piece> pieces = cut(n.receive_count, bytes_);
    if (pieces.empty()) return at;
    const std::size_t source = from_.add(n.rank, static_cast<int>(pieces.size()));
    int tag = first_tag_;
    for (const Piece& piece : pieces) {
      receives_.add_receive(at, piece.count, n.rank, tag++);
      arrivals_.push_back({source, in_bytes(n.receive_offset + piece.first), at, in_bytes(piece.count)});
      at += in_bytes(piece.count);
    }
    return at;
  }

  /// One download and one message for each piece, of the same number.
  std::byte* add_sends(const Neighbour& n, std::byte* at) {
    const std::vector<Piece> pieces = cut(n.send_count, bytes_);
    if (pieces.empty()) return at;
    const std::size_t target = to_.add(n.rank, static_cast<int>(pieces.size()));
    int tag = first_tag_;
    for (const Piece& piece : pieces) {
      downloads_.add(in_bytes(n.send_offset + piece.first), {at, at}, in_bytes(piece.count));
      sends_.add_send(at, piece.count, n.rank, tag++);
      targets_.push_back(target);
      at += in_bytes(piece.count);
    }
    return at;
  }

  /// Whether there are messages to time and a log to time them in.
  bool logs(const PhaseLog* log) const { return log != nullptr && receives_.size() + sends_.size() > 0; }
  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  std::size_t bytes_;  // of an element
  int first_tag_;
  Buffer<std::byte> send_staging_;
  Buffer<std::byte> receive_staging_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> uploaded_;
  Downloads downloads_;
  Uploads uploads_;
  Messages receives_;
  Messages sends_;
  std::vector<Arrival> arrivals_;     // by number of the receive
  std::vector<std::size_t> targets_;  // in to_, by number of the send
  OwnStep own_step_;
  Awaited from_{"messages from"};
  Awaited to_{"messages to"};
};

}  // namespace

std::unique_ptr<HaloExchange> make_staged_exchange(const ExchangeSetup& setup) {
  return setup.communicator.together([&] { return std::make_unique<StagedExchange>(setup); });
}

}  // namespace spmv
