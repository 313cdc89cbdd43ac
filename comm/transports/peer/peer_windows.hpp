// How the windows of a PeerExchange are shared. A transport is one way; the rest is the same for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"

namespace spmv {

/// This rank's window, and those of its neighbours that it reaches.
class PeerWindows {
 public:
  virtual ~PeerWindows() = default;
  /// Where all windows lie: Memory::staging is pinned host memory.
  virtual Memory where() const = 0;
  /// Makes this rank's window, zero; 0 bytes where it has no neighbours. Called once. Collective; throws
  /// AgreedError.
  virtual std::byte* open(std::size_t bytes) = 0;
  /// What a neighbour's reach() takes, short enough for a PeerInvitation. Local, after open().
  virtual std::string invitation() const = 0;
  /// Maps a neighbour's window. Local; throws Error.
  virtual std::byte* reach(const std::string& invitation) = 0;
  /// Lets go of the neighbours' windows. Local. Windows are freed, by the destructor, when all ranks have
  /// done so.
  virtual void leave() {}
};

/// Text of PeerWindows::invitation(), to send.
class PeerInvitation {
 public:
  PeerInvitation() = default;
  /// Throws Error(internal) where it is too long.
  explicit PeerInvitation(const std::string& text);
  bool empty() const { return size_ == 0; }
  std::string str() const { return {text_.data(), size_}; }

 private:
  std::array<char, 124> text_{};
  std::uint32_t size_ = 0;
};

/// Exchange through these windows. Collective; throws AgreedError.
std::unique_ptr<HaloExchange> join_peers(const ExchangeSetup& setup, std::unique_ptr<PeerWindows> windows);

/// Sends mine[i] to the plan's neighbour i and returns what each sent, in plan order. Collective.
template <class Message>
std::vector<Message> exchange_with_neighbours(const ExchangeSetup& setup, const std::vector<Message>& mine) {
  std::vector<offset> counts(static_cast<std::size_t>(setup.communicator.size()), 0);
  for (const Neighbour& n : setup.plan->neighbours) counts[static_cast<std::size_t>(n.rank)] = 1;
  return setup.communicator.exchange(mine, counts).data;
}

}  // namespace spmv
