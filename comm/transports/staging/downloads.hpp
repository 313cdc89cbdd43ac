// From the send buffer to host memory, part by part.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "comm/transports/staging/pieces.hpp"
#include "core/backend.hpp"
#include "core/phase_log.hpp"

namespace spmv {

/// Parts of the send buffer on their way to host memory. Parts that are added one after the other form a
/// group until it has least_copy_bytes; those of a group that lie together in both memories share a copy. The
/// host can wait for every group by itself.
class Downloads {
 public:
  explicit Downloads(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  /// The next part: `bytes` bytes, `from` bytes after the beginning of the send buffer, go to to[half],
  /// see queue().
  void add(std::size_t from, std::array<std::byte*, 2> to, std::size_t bytes);
  bool empty() const { return groups_.empty(); }

  /// Queues all copies. `half`: 0 or 1. Local.
  void queue(Queue& queue, const std::byte* send_buffer, unsigned half, PhaseLog* log) const;
  /// Waits for one group after the other; as soon as a group is on the host calls there(number of its first
  /// part, number of its parts). `queue` is the one given to queue(). Local; throws Error if the copies
  /// failed.
  template <class There>
  void wait(Queue& queue, const There& there) const {
    for (const Group& group : groups_) {
      // The last group needs no event: it is there when everything is.
      if (&group == &groups_.back())
        queue.synchronize();
      else
        group.there->synchronize();
      there(group.first_part, group.parts);
    }
  }

 private:
  struct Range {
    std::size_t from;
    std::array<std::byte*, 2> to;
    std::size_t bytes;
  };
  struct Group {
    std::size_t first_part, parts;
    std::size_t bytes;
    std::vector<Range> ranges;
    std::unique_ptr<Event> there;
  };

  std::shared_ptr<Backend> backend_;
  std::vector<Group> groups_;
};

}  // namespace spmv
