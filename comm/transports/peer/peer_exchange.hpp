// One rank's end of an exchange through memory that devices share, apart from how it was shared: see
// core/peer_memory.hpp for the protocol. No MPI: a test joins several ends in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/give_up.hpp"
#include "comm/halo_exchange.hpp"
#include "comm/transports/awaited.hpp"
#include "core/buffer.hpp"
#include "core/peer_memory.hpp"

namespace spmv {

/// Flags that a rank raises for a neighbour of whom it sends so many elements: one for each piece. Pure.
/// `sent` is the sender's total.
int peer_pieces(lidx count, lidx sent);

/// What a rank lends: flags, then two slots.
struct PeerWindow {
  std::size_t flags = 0;  // bytes from the beginning, as for the slots
  std::size_t slot[2] = {0, 0};
  std::size_t bytes = 0;  // in all
};
PeerWindow lay_out_window(int flags, std::size_t halo_bytes);

/// Where a neighbour may store, in bytes from the beginning of the window.
struct PeerLanding {
  std::uint64_t flag;  // of its first piece
  std::uint64_t slot[2];
};

/// One neighbour as the sender sees it.
struct PeerTarget {
  std::byte* window;  // the neighbour's, mapped here
  PeerLanding landing;
};

class PeerExchange final : public HaloExchange {
 public:
  /// `window`: zero, laid out by lay_out_window(), and at the same kind of place on all ranks: device memory,
  /// or for Memory::staging pinned host memory. flags[i]: how many the plan's neighbour i raises here, in
  /// plan order one after the other.
  PeerExchange(std::shared_ptr<const HaloPlan> plan, std::shared_ptr<Backend> backend,
               std::size_t element_bytes, std::byte* window, Memory where, const std::vector<int>& flags);
  /// Other ranks use this rank's device, too: as little of it as can be waits for them. Before the first
  /// exchange.
  void share_device() { view_.device_shared = true; }
  /// Where the plan's neighbour i may store.
  PeerLanding landing(std::size_t i) const;
  /// Before the first exchange: targets[i] is where the elements for neighbour i go.
  void connect(const std::vector<PeerTarget>& targets);

  void start(const std::byte* packed, const Event& ready, PhaseLog* log) override {
    put({packed}, ready, log);
  }
  bool gathers() const override { return true; }
  void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log) override {
    put({x, index}, ready, log);
  }
  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override;
  void poison() override;
  bool is_queued() const override { return true; }
  std::string waiting_for() const override;
  /// Not from slots in host memory: a product reads its ghosts more than once, and in no order.
  const PeerView* peers() const override { return view_.on_host ? nullptr : &view_; }

 private:
  void put(const PutSource& source, const Event& ready, PhaseLog* log);

  std::shared_ptr<const HaloPlan> plan_;
  std::shared_ptr<Backend> backend_;
  std::size_t element_bytes_;
  std::byte* window_;
  std::vector<int> flags_;
  PeerWindow layout_;
  Buffer<PutPiece> pieces_;
  Buffer<HaloRun> runs_;
  Buffer<ArrivingPiece> arriving_;
  Buffer<Epoch> number_;
  Buffer<unsigned> readers_;
  PeerView view_;
  const Epoch* raised_ = nullptr;    // a flag in a neighbour's window that this rank raises
  std::unique_ptr<Queue> queue_;     // last: ends its work before anything that this uses goes
  std::unique_ptr<Queue> watching_;  // beside all other work
  std::optional<EndWaiting> end_waiting_;
};

}  // namespace spmv
