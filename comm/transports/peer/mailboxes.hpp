// The mailboxes of transports p2p, shm and shm_copy: memory that every rank lends its neighbours. p2p and shm share
// join_peers().
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"

namespace spmv {

/// What different ranks write lies so far apart: they share no cache line, and copy engines find it aligned.
inline constexpr std::size_t mailbox_line = 256;

/// Rounded up to whole lines of a mailbox. Pure.
inline std::size_t whole_lines(std::size_t bytes) {
  return (bytes + mailbox_line - 1) / mailbox_line * mailbox_line;
}

/// Host memory as staging memory of a backend, as long as this lives.
class Pin {
 public:
  Pin(std::shared_ptr<Backend> backend, std::byte* at, std::size_t bytes);
  ~Pin();
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  std::shared_ptr<Backend> backend_;
  std::byte* at_;
};

/// This rank's mailbox, and those of its neighbours. They have no name in the file system and keep no file open, so they never
/// outlive the ranks.
class Mailboxes {
 public:
  /// Makes this rank's mailbox of so many bytes, filled with zeros, and maps those of the plan's neighbours. `where`: device
  /// memory, or for Memory::staging host memory, pinned for the device. 0 bytes: only where this rank has no neighbours.
  /// Collective; throws AgreedError, with AgreedError(environment) where a rank does not reach the memory of a neighbour.
  Mailboxes(const ExchangeSetup& setup, Memory where, std::size_t bytes);
  /// Collective for device memory, which is freed when no rank maps it any more.
  ~Mailboxes();
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;

  /// Aligned to 256 bytes, as all of them; nullptr where it has 0 bytes. Local.
  std::byte* own() const;
  /// The mailbox of the plan's neighbour i, mapped here. Local.
  std::byte* of_neighbour(std::size_t i) const { return reached_[i]; }

 private:
  /// What a neighbour must know to map a mailbox.
  struct Invitation;
  /// The mailbox of another rank.
  struct Mapped {
    std::unique_ptr<SharedMemory> memory;
    std::unique_ptr<Pin> pin;  // after the memory: ends before it
  };

  Invitation open(std::size_t bytes);
  void reach(const Neighbour& neighbour, const Invitation& invitation);
  std::unique_ptr<Pin> pin(std::byte* at, std::size_t bytes) const;
  /// Unmaps the neighbours' mailboxes.
  void leave();

  Communicator communicator_;
  std::shared_ptr<Backend> backend_;
  Memory where_;
  std::unique_ptr<LentMemory> own_;
  std::unique_ptr<Pin> own_pin_;
  std::vector<Mapped> mapped_;
  std::vector<std::byte*> reached_;  // in plan order
};

/// Why `transport` is unusable, whose mailboxes are in this memory: two neighbours are on different nodes, or cannot map a
/// little of each other's memory. Empty where they can. `use`: what the message advises for different nodes. See
/// Transport::why_unusable. Collective.
std::string why_no_mailboxes(const ExchangeSetup& setup, Memory where, const std::string& transport,
                             const std::string& use);

/// An exchange through mailboxes in this memory. Collective; throws AgreedError. To end it is Collective, too.
std::unique_ptr<HaloExchange> join_peers(const ExchangeSetup& setup, Memory where);

/// Sends mine[i] to the plan's neighbour i and returns what each sent, in plan order. `mine` has an element
/// for every neighbour; Message can be copied byte by byte. Collective.
template <class Message>
std::vector<Message> tell_neighbours(const ExchangeSetup& setup, const std::vector<Message>& mine) {
  std::vector<offset> counts(static_cast<std::size_t>(setup.communicator.size()), 0);
  for (const Neighbour& n : setup.plan->neighbours) counts[static_cast<std::size_t>(n.rank)] = 1;
  return setup.communicator.all_to_all(mine, counts).data;
}

}  // namespace spmv
