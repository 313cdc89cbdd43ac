#include "comm/transports/p2p.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "comm/first_reason.hpp"
#include "comm/node_neighbours.hpp"
#include "comm/peer_exchange.hpp"

namespace spmv {
namespace {

/// Text of SharedMemory::handle(), to send.
struct Handle {
  std::array<char, 124> text{};
  std::uint32_t size = 0;

  static Handle of(const SharedMemory& memory) {
    const std::string text = memory.handle();
    Handle handle;
    if (text.size() > handle.text.size()) throw Error(ExitCode::internal, "a long handle");
    handle.size = static_cast<std::uint32_t>(text.copy(handle.text.data(), text.size()));
    return handle;
  }
  std::string str() const { return {text.data(), size}; }
};

/// What a neighbour must know to store here.
struct Invitation {
  Handle handle;
  PeerLanding landing;
};

/// Sends mine[i] to the plan's neighbour i and returns what each sent, in plan order. Collective.
template <class Message>
std::vector<Message> exchange_with_neighbours(const ExchangeSetup& setup, const std::vector<Message>& mine) {
  std::vector<offset> counts(static_cast<std::size_t>(setup.communicator.size()), 0);
  for (const Neighbour& n : setup.plan->neighbours) counts[static_cast<std::size_t>(n.rank)] = 1;
  return setup.communicator.exchange(mine, counts).data;
}

/// Whether ranks of the node use one device. There, a kernel that waits for another rank's may hold what that
/// one needs. Collective on `node`.
bool device_is_shared(const ExchangeSetup& setup) {
  const std::string id = setup.backend->device_id();
  if (id.empty()) return false;
  Handle mine;
  mine.size = static_cast<std::uint32_t>(id.copy(mine.text.data(), mine.text.size()));
  const auto ranks = static_cast<std::size_t>(setup.node.size());
  const auto all = setup.node.exchange(std::vector<Handle>(ranks, mine), std::vector<offset>(ranks, 1)).data;
  return std::count_if(all.begin(), all.end(), [&](const Handle& h) { return h.str() == id; }) > 1;
}

class P2pExchange final : public HaloExchange {
 public:
  /// Collective.
  explicit P2pExchange(const ExchangeSetup& setup) : communicator_(setup.communicator) {
    const HaloPlan& plan = *setup.plan;
    const bool shared = device_is_shared(setup);
    std::vector<int> raised;
    for (const Neighbour& n : plan.neighbours) raised.push_back(peer_pieces(n.send_count, plan.send_total()));
    const std::vector<int> flags = exchange_with_neighbours(setup, raised);
    std::vector<Invitation> mine;
    communicator_.together([&] {
      if (plan.neighbours.empty()) return;
      int all = 0;
      for (const int count : flags) all += count;
      const PeerWindow layout =
          lay_out_window(all, static_cast<std::size_t>(plan.ghosts) * setup.element_bytes);
      window_ = setup.backend->allocate_shared(layout.bytes);
      ends_ = std::make_unique<PeerExchange>(setup.plan, setup.backend, setup.element_bytes, window_->data(),
                                             flags);
      for (std::size_t i = 0; i < plan.neighbours.size(); ++i)
        mine.push_back({Handle::of(*window_), ends_->landing(i)});
    });
    const std::vector<Invitation> theirs = exchange_with_neighbours(setup, mine);
    communicator_.together([&] {
      std::vector<PeerTarget> targets;
      for (const Invitation& invitation : theirs) {
        mapped_.push_back(setup.backend->map_shared(invitation.handle.str()));
        targets.push_back({mapped_.back()->data(), invitation.landing});
      }
      if (ends_) ends_->connect(targets);
    });
    if (ends_ && !shared) peers_ = ends_->peers();
  }
  ~P2pExchange() override {
    ends_.reset();
    mapped_.clear();
    // What others have mapped is freed when they no longer do: on the way out of one rank's failure nobody
    // would come.
    if (std::uncaught_exceptions() == 0) communicator_.barrier();
  }
  P2pExchange(const P2pExchange&) = delete;
  P2pExchange& operator=(const P2pExchange&) = delete;

  void start(const std::byte* packed, const Event& ready, PhaseLog* log) override {
    if (ends_) ends_->start(packed, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (ends_) ends_->finish(halo, arrived, log);
  }
  void poison() override {
    if (ends_) ends_->poison();
  }
  bool queued() const override { return true; }
  std::string waiting_for() const override { return ends_ ? ends_->waiting_for() : std::string(); }
  const PeerView* peers() const override { return peers_; }

 private:
  Communicator communicator_;
  std::unique_ptr<SharedMemory> window_;
  std::vector<std::unique_ptr<SharedMemory>> mapped_;
  std::unique_ptr<PeerExchange> ends_;
  const PeerView* peers_ = nullptr;
};

/// Maps a little memory of every neighbour. Empty where that works. Collective.
std::string try_to_map(const ExchangeSetup& setup) {
  std::string reason;
  std::unique_ptr<SharedMemory> memory;
  const std::size_t neighbours = setup.plan->neighbours.size();
  std::vector<Handle> mine(neighbours);
  try {
    memory = setup.backend->allocate_shared(1);
    mine.assign(neighbours, Handle::of(*memory));
  } catch (const Error& error) {
    reason = fmt::format("transport p2p: {}", error.what());
  }
  const std::vector<Handle> theirs = exchange_with_neighbours(setup, mine);
  try {
    for (const Handle& handle : theirs)
      if (handle.size > 0) setup.backend->map_shared(handle.str());
  } catch (const Error& error) {
    reason = fmt::format("transport p2p: {}", error.what());
  }
  return first_reason(setup.communicator, reason);  // nobody frees before all have mapped
}

}  // namespace

std::string why_no_p2p(const ExchangeSetup& setup) {
  const auto apart = find_neighbour_elsewhere(setup);
  if (apart)
    return fmt::format(
        "transport p2p joins the GPUs of one node, but rank {} and its neighbour {} are on different ones: "
        "use "
        "--transport node_aware, nccl or staged",
        apart->rank, apart->neighbour);
  return try_to_map(setup);
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const ExchangeSetup& setup) {
  return std::make_unique<P2pExchange>(setup);
}

}  // namespace spmv
