// Host memory that the ranks of a node share, pinned for the device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"

namespace spmv {

/// A segment for each rank of the node, zero at first. Every rank reads and writes all of them, and so does
/// its device, at the same addresses.
class SharedWindow {
 public:
  /// `bytes` of this rank's segment, at least. Collective on `all`, of which `node` is a part; throws
  /// AgreedError.
  SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
               std::shared_ptr<Backend> backend);
  /// Collective on `node`, but on the way out of a failure: there nobody else would come, and it is left to
  /// MPI.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// Aligned to window_line.
  std::byte* segment(int node_rank) const { return segments_[static_cast<std::size_t>(node_rank)]; }

 private:
  struct Handle;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Handle> handle_;
  std::vector<std::byte*> segments_;  // contiguous, by rank
  std::byte* pinned_at_ = nullptr;
};

/// What different ranks write lies so far apart: they share no cache line, and copy engines find it aligned.
inline constexpr std::size_t window_line = 256;

inline std::size_t whole_lines(std::size_t bytes) {
  return (bytes + window_line - 1) / window_line * window_line;
}

/// Why ranks that share no node cannot use a window, and the mend; empty where all neighbours share one.
/// `transport` is its name. Collective.
std::string why_no_window(const ExchangeSetup& setup, const std::string& transport);

}  // namespace spmv
