#include "comm/transports/peer/peer_windows.hpp"

#include <exception>
#include <numeric>
#include <utility>

#include "comm/mpi_check.hpp"
#include "comm/place/devices.hpp"
#include "comm/transports/peer/peer_exchange.hpp"

namespace spmv {
namespace {

/// What a neighbour must know to store here.
struct Welcome {
  PeerInvitation invitation;
  PeerLanding landing;
};

/// A PeerExchange with the windows that it uses. The windows go when no rank uses them any more.
class JoinedExchange final : public HaloExchange {
 public:
  /// Collective.
  JoinedExchange(const ExchangeSetup& setup, std::unique_ptr<PeerWindows> windows)
      : communicator_(setup.communicator), windows_(std::move(windows)) {
    const HaloPlan& plan = *setup.plan;
    // On a shared device a kernel that waits for another rank's kernel may hold what that one needs to run.
    const bool device_shared =
        setup.node.max(gidx{ranks_on_device(setup.communicator, setup.backend->device_uuid())}) > 1;
    std::vector<int> raised;
    for (const Neighbour& n : plan.neighbours) raised.push_back(peer_pieces(n.send_count, plan.send_total()));
    const std::vector<int> flags = tell_neighbours(setup, raised);
    const bool used = !plan.neighbours.empty();
    const WindowParts layout = window_parts(std::accumulate(flags.begin(), flags.end(), 0),
                                            static_cast<std::size_t>(plan.ghosts) * setup.element_bytes);
    std::byte* const window = windows_->open(used ? layout.bytes : 0);
    std::vector<Welcome> mine;
    communicator_.together([&] {
      if (!used) return;
      exchange_ = std::make_unique<PeerExchange>(setup.plan, setup.backend, setup.element_bytes, window,
                                                 windows_->where(), flags);
      if (device_shared) exchange_->share_device();
      for (std::size_t i = 0; i < plan.neighbours.size(); ++i)
        mine.push_back({PeerInvitation(windows_->invitation()), exchange_->landing(i)});
    });
    const std::vector<Welcome> theirs = tell_neighbours(setup, mine);
    communicator_.together([&] {
      std::vector<PeerTarget> targets;
      for (const Welcome& welcome : theirs)
        targets.push_back({windows_->reach(welcome.invitation.str()), welcome.landing});
      if (exchange_) exchange_->connect(targets);
    });
    if (exchange_ && !device_shared) peers_ = exchange_->peers();
  }
  ~JoinedExchange() override {
    exchange_.reset();
    windows_->leave();
    // After a failure on this rank only, or when MPI has ended, the others would not come to the barrier.
    if (std::uncaught_exceptions() == 0 && !mpi_has_ended()) communicator_.barrier();
  }
  JoinedExchange(const JoinedExchange&) = delete;
  JoinedExchange& operator=(const JoinedExchange&) = delete;

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    if (exchange_) exchange_->start(send_buffer, ready, log);
  }
  bool gathers() const override { return true; }
  void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log) override {
    if (exchange_) exchange_->start_gathering(x, index, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (exchange_) exchange_->finish(halo, arrived, log);
  }
  void poison() override {
    if (exchange_) exchange_->poison();
  }
  bool is_queued() const override { return true; }
  std::string waiting_for() const override { return exchange_ ? exchange_->waiting_for() : std::string(); }
  const PeerView* peers() const override { return peers_; }

 private:
  Communicator communicator_;
  std::unique_ptr<PeerWindows> windows_;
  std::unique_ptr<PeerExchange> exchange_;  // nullptr: this rank has no neighbours
  const PeerView* peers_ = nullptr;
};

}  // namespace

PeerInvitation::PeerInvitation(const std::string& text) {
  if (text.size() > text_.size()) throw Error(ExitCode::internal, "a long invitation");
  size_ = static_cast<std::uint32_t>(text.copy(text_.data(), text_.size()));
}

std::unique_ptr<HaloExchange> join_peers(const ExchangeSetup& setup, std::unique_ptr<PeerWindows> windows) {
  return std::make_unique<JoinedExchange>(setup, std::move(windows));
}

}  // namespace spmv
