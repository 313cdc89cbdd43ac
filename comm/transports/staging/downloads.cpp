#include "comm/transports/staging/downloads.hpp"

namespace spmv {

void Downloads::add(std::size_t from, std::array<std::byte*, 2> to, std::size_t bytes) {
  if (groups_.empty() || groups_.back().bytes >= least_copy_bytes) {
    const std::size_t first = groups_.empty() ? 0 : groups_.back().first_part + groups_.back().parts;
    groups_.push_back({first, 0, 0, {}, backend_->make_event()});
  }
  Group& group = groups_.back();
  ++group.parts;
  group.bytes += bytes;
  if (!group.ranges.empty()) {
    Range& last = group.ranges.back();
    const bool goes_on = from == last.from + last.bytes && to[0] == last.to[0] + last.bytes &&
                         to[1] == last.to[1] + last.bytes;
    if (goes_on) {
      last.bytes += bytes;
      return;
    }
  }
  group.ranges.push_back({from, to, bytes});
}

void Downloads::queue(Queue& queue, const std::byte* send_buffer, unsigned half, PhaseLog* log) const {
  if (groups_.empty()) return;
  const DevicePhase phase(log, Phase::d2h, queue);
  for (const Group& group : groups_) {
    for (const Range& range : group.ranges)
      queue.copy(range.to[half], send_buffer + range.from, range.bytes, Copy::to_host);
    if (&group != &groups_.back()) queue.record(*group.there);
  }
}

}  // namespace spmv
