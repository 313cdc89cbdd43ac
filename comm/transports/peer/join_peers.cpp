#include <numeric>

#include "comm/place/devices.hpp"
#include "comm/transports/peer/mailboxes.hpp"
#include "comm/transports/peer/peer_exchange.hpp"

namespace spmv {
namespace {

/// A PeerExchange with the mailboxes that it uses. The mailboxes go when no rank uses them any more.
class JoinedExchange final : public HaloExchange {
 public:
  /// Collective.
  JoinedExchange(const ExchangeSetup& setup, Memory where) {
    const HaloPlan& plan = *setup.plan;
    // On a shared device a kernel that waits for another rank's kernel may hold what that one needs to run.
    const bool device_shared =
        setup.node.any_of(ranks_on_device(setup.communicator, setup.backend->device_uuid()) > 1);
    std::vector<int> raised;
    for (const Neighbour& n : plan.neighbours) raised.push_back(peer_pieces(n.send_count, plan.send_total()));
    const std::vector<int> flags = tell_neighbours(setup, raised);
    const bool used = !plan.neighbours.empty();
    const MailboxParts layout = mailbox_parts(std::accumulate(flags.begin(), flags.end(), 0),
                                              static_cast<std::size_t>(plan.ghosts) * setup.element_bytes);
    mailboxes_.emplace(setup, where, used ? layout.bytes : 0);
    try {
      connect(setup, where, flags, device_shared);
    } catch (const AgreedError&) {
      exchange_.reset();
      mailboxes_.reset();  // here, where it is Collective, and not while the exception is on its way
      throw;
    }
    if (exchange_ && !device_shared) peers_ = exchange_->peers();
  }

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
  void connect(const ExchangeSetup& setup, Memory where, const std::vector<int>& flags, bool device_shared) {
    const std::size_t neighbours = setup.plan->neighbours.size();
    std::vector<PeerLanding> mine;
    setup.communicator.together([&] {
      if (neighbours == 0) return;
      exchange_ = std::make_unique<PeerExchange>(setup.plan, setup.backend, setup.element_bytes,
                                                 mailboxes_->own(), where, flags);
      if (device_shared) exchange_->share_device();
      for (std::size_t i = 0; i < neighbours; ++i) mine.push_back(exchange_->landing(i));
    });
    const std::vector<PeerLanding> theirs = tell_neighbours(setup, mine);
    setup.communicator.together([&] {
      std::vector<PeerTarget> targets;
      for (std::size_t i = 0; i < theirs.size(); ++i)
        targets.push_back({mailboxes_->of_neighbour(i), theirs[i]});
      if (exchange_) exchange_->connect(targets);
    });
  }

  std::optional<Mailboxes> mailboxes_;
  std::unique_ptr<PeerExchange> exchange_;  // nullptr: this rank has no neighbours; ends before its mailboxes
  const PeerView* peers_ = nullptr;
};

}  // namespace

std::unique_ptr<HaloExchange> join_peers(const ExchangeSetup& setup, Memory where) {
  return std::make_unique<JoinedExchange>(setup, where);
}

}  // namespace spmv
