#include "comm/transports/shm.hpp"

#include <optional>

#include "comm/transports/peer/peer_windows.hpp"
#include "comm/transports/peer/shared_window.hpp"
#include "core/number.hpp"

namespace spmv {
namespace {

/// Windows in host memory: an invitation is a rank of the node.
class HostWindows final : public PeerWindows {
 public:
  explicit HostWindows(const ExchangeSetup& setup)
      : all_(setup.communicator), node_(setup.node), backend_(setup.backend) {}
  Memory where() const override { return Memory::staging; }
  std::byte* open(std::size_t bytes) override {
    window_.emplace(all_, node_, bytes, backend_);
    return window_->own();
  }
  std::string invitation() const override { return std::to_string(node_.rank()); }
  std::byte* reach(const std::string& invitation) override {
    return window_->reach(number_in<int>(invitation).value());
  }

 private:
  Communicator all_;
  Communicator node_;
  std::shared_ptr<Backend> backend_;
  std::optional<SharedWindow> window_;
};

}  // namespace

std::string why_no_shm(const ExchangeSetup& setup) {
  return why_no_window(setup, "shm");
}

std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup) {
  return join_peers(setup, std::make_unique<HostWindows>(setup));
}

}  // namespace spmv
