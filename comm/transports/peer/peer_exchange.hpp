// One rank's end of an exchange through memory that devices share; core/peer_memory.hpp has the protocol, Mailboxes shares
// the memory. No MPI: a test joins several ends in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/halo_exchange.hpp"
#include "comm/limited_work.hpp"
#include "comm/transports/awaited.hpp"
#include "comm/transports/staging/pieces.hpp"
#include "core/buffer.hpp"
#include "core/peer_memory.hpp"

namespace spmv {

/// Number of pieces, each with a flag of its own, in which a rank sends `count` elements to one neighbour; at
/// least 1, a flag alone. `sent`: elements that it sends to all neighbours together. Pure.
int peer_pieces(lidx count, lidx sent);

/// Piece number p of `pieces` of `count` elements, the same on both sides: consecutive elements, which begin where a line
/// of the half does, but for the first piece. Stores that share no line with others pass NVLink a ninth faster. `at`: where
/// the first element lies, in bytes from the beginning of a half or of the mailbox, whose halves begin at lines. Pure.
Piece peer_piece(lidx count, int pieces, int p, std::size_t at, std::size_t element_bytes);

/// The layout of the memory that a rank lends its neighbours: flags, then two halves. Where they begin, in
/// bytes from the beginning of the mailbox.
struct MailboxParts {
  std::size_t flags = 0;
  std::size_t half[2] = {0, 0};
  std::size_t bytes = 0;  // in all
};
/// The layout for this number of flags and bytes of halo. Pure.
MailboxParts mailbox_parts(int flags, std::size_t halo_bytes);

/// Where a neighbour may store, in bytes from the beginning of the mailbox.
struct PeerLanding {
  std::uint64_t flag;  // of its first piece
  std::uint64_t half[2];
};

/// One neighbour as the sender sees it.
struct PeerTarget {
  std::byte* mailbox;  // the neighbour's, mapped here
  PeerLanding landing;
};

/// Made, then connected, then used. Everything is Local; the mailboxes, this rank's and those of its
/// neighbours, are the caller's and must outlive it.
class PeerExchange final : public HaloExchange {
 public:
  /// `mailbox`: this rank's, filled with zeros, with room for mailbox_parts(); in the same kind of memory on
  /// all ranks, `where`: device memory, or for Memory::staging pinned host memory. flags[i]: how many flags
  /// the plan's neighbour i raises here. They stand in plan order, one neighbour's after the other's.
  PeerExchange(std::shared_ptr<const HaloPlan> plan, std::shared_ptr<Backend> backend,
               std::size_t element_bytes, std::byte* mailbox, Memory where, std::vector<int> flags);
  /// Other ranks use this rank's device, too: kernels that wait for them shall hold as little of it as possible.
  /// Before the first exchange.
  void share_device() { view_.device_shared = true; }
  /// Where the plan's neighbour i may store.
  PeerLanding landing(std::size_t i) const;
  /// Before the first exchange: targets[i] is where the elements for neighbour i go.
  void connect(const std::vector<PeerTarget>& targets);

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    send({send_buffer}, ready, log);
  }
  bool gathers() const override { return true; }
  void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log) override {
    send({x, index}, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override;
  void poison() override;
  bool is_queued() const override { return true; }
  std::string waiting_for() const override;
  /// Not from halves in host memory: a product reads its ghosts more than once, and in no order.
  const PeerView* peers() const override { return view_.on_host ? nullptr : &view_; }

 private:
  void send(const SendSource& source, const Event& ready, PhaseLog* log);

  std::shared_ptr<const HaloPlan> plan_;
  std::shared_ptr<Backend> backend_;
  std::size_t element_bytes_;
  std::byte* mailbox_;
  std::vector<int> flags_;  // by neighbour, how many it raises here
  MailboxParts layout_;
  Buffer<SendPiece> pieces_;  // this and the next four: device memory that view_ points to
  Buffer<HaloRun> runs_;
  Buffer<ArrivingPiece> arriving_;
  Buffer<ExchangeNumber> number_;
  Buffer<unsigned> readers_;
  PeerView view_;
  const ExchangeNumber* raised_ =
      nullptr;  // a flag in a neighbour's mailbox that this rank raises; nullptr: none
  // In this order: what may still queue work ends first, then the queues, then what their work uses.
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Queue> watching_;  // for what must not wait behind an exchange
  std::optional<OnAbandon> on_abandon_;
};

}  // namespace spmv
