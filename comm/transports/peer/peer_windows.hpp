// How the ranks of a PeerExchange share their windows. Each transport (p2p, shm) has a way of its own; what
// follows from it, join_peers(), is the same for all.
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
  /// Makes this rank's window, filled with zeros, and returns it; 0 bytes where it has no neighbours. Owned
  /// by this object. Called once. Collective; throws AgreedError.
  virtual std::byte* open(std::size_t bytes) = 0;
  /// What a neighbour's reach() takes, short enough for a PeerInvitation. Local, after open().
  virtual std::string invitation() const = 0;
  /// Maps the window of the neighbour that sent this invitation; valid until leave(). Local; throws Error.
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

/// An exchange through these windows, which are not open yet. Collective; throws AgreedError. To end it is
/// Collective, too.
std::unique_ptr<HaloExchange> join_peers(const ExchangeSetup& setup, std::unique_ptr<PeerWindows> windows);

/// Sends mine[i] to the plan's neighbour i and returns what each sent, in plan order. `mine` has an element
/// for every neighbour; Message can be copied byte by byte. Collective.
template <class Message>
std::vector<Message> tell_neighbours(const ExchangeSetup& setup, const std::vector<Message>& mine) {
  std::vector<offset> counts(static_cast<std::size_t>(setup.communicator.size()), 0);
  for (const Neighbour& n : setup.plan->neighbours) counts[static_cast<std::size_t>(n.rank)] = 1;
  return setup.communicator.all_to_all(mine, counts).data;
}

}  // namespace spmv
