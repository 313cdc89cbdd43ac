// Host memory that the ranks of a node share, pinned for the device.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/halo_exchange.hpp"
#include "comm/transports/peer/window_line.hpp"
#include "core/backend.hpp"

namespace spmv {

/// A segment of memory for each rank of the node, zero at first, which the others map. It has no name in the
/// file system, so nothing of it outlives the ranks, however they end. MPI knows nothing of it, so it ends
/// without the other ranks: a segment lasts until the last rank that has mapped it lets it go.
class SharedWindow {
 public:
  /// `bytes` of this rank's segment. Collective on `all`, of which `node` is a part; throws AgreedError.
  SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
               std::shared_ptr<Backend> backend);
  /// Local.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// This rank's segment. Aligned to a page, as all of them. Local.
  std::byte* own() const { return own_; }
  /// The segment of a rank of the node, mapped and pinned at the first call, when its owner must still have
  /// it. Local; throws Error(environment) where the system refuses.
  std::byte* reach(int node_rank);

 private:
  /// Pins the segment, adds it to segments_ and returns where it begins.
  std::byte* keep(std::unique_ptr<SharedMemory> segment, std::size_t bytes);

  int node_rank_;
  std::shared_ptr<Backend> backend_;
  std::vector<std::string> handles_;   // by rank of the node
  std::vector<std::size_t> bytes_;     // likewise
  std::map<int, std::byte*> reached_;  // by rank of the node
  std::vector<std::unique_ptr<SharedMemory>> segments_;
  std::byte* own_ = nullptr;
};

/// Why a transport through windows is unusable: two neighbours are on different nodes; empty where none are.
/// `transport`: its name, for the message. See Transport::why_unusable. Collective.
std::string why_no_window(const ExchangeSetup& setup, const std::string& transport);

}  // namespace spmv
