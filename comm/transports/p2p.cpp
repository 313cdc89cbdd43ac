#include "comm/transports/p2p.hpp"

#include <vector>

#include <fmt/format.h>

#include "comm/first_reason.hpp"
#include "comm/transports/node_neighbours.hpp"
#include "comm/transports/peer/peer_windows.hpp"

namespace spmv {
namespace {

/// Windows in device memory: an invitation is SharedMemory::handle().
class DeviceWindows final : public PeerWindows {
 public:
  explicit DeviceWindows(const ExchangeSetup& setup)
      : communicator_(setup.communicator), backend_(setup.backend) {}
  Memory where() const override { return Memory::device; }
  std::byte* open(std::size_t bytes) override {
    communicator_.together([&] {
      if (bytes > 0) window_ = backend_->allocate_shared(bytes);
    });
    return window_ ? window_->data() : nullptr;
  }
  std::string invitation() const override { return window_->handle(); }
  std::byte* reach(const std::string& invitation) override {
    return mapped_.emplace_back(backend_->map_shared(invitation))->data();
  }
  void leave() override { mapped_.clear(); }

 private:
  Communicator communicator_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<SharedMemory> window_;
  std::vector<std::unique_ptr<SharedMemory>> mapped_;
};

/// Maps a little memory of every neighbour. Empty where that works. Collective.
std::string try_to_map(const ExchangeSetup& setup) {
  std::string reason;
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (reason.empty()) reason = fmt::format("transport p2p: {}", error.what());
    }
  };
  DeviceWindows windows(setup);
  const bool used = !setup.plan->neighbours.empty();
  PeerInvitation mine;
  try {
    windows.open(used ? 1 : 0);
    if (used) attempt([&] { mine = PeerInvitation(windows.invitation()); });
  } catch (const AgreedError& error) {
    return fmt::format("transport p2p: {}", error.what());
  }
  const auto theirs =
      tell_neighbours(setup, std::vector<PeerInvitation>(setup.plan->neighbours.size(), mine));
  attempt([&] {
    for (const PeerInvitation& invitation : theirs)
      if (!invitation.empty()) windows.reach(invitation.str());
  });
  windows.leave();
  return first_reason(setup.communicator, reason);  // nobody frees before all have left
}

}  // namespace

std::string why_no_p2p(const ExchangeSetup& setup) {
  const auto apart = find_neighbour_elsewhere(setup);
  if (apart)
    return fmt::format(
        "transport p2p joins the GPUs of one node, but rank {} and its neighbour {} are on different ones: "
        "use --transport node_aware, nccl or staged",
        apart->rank, apart->neighbour);
  return try_to_map(setup);
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const ExchangeSetup& setup) {
  return join_peers(setup, std::make_unique<DeviceWindows>(setup));
}

}  // namespace spmv
