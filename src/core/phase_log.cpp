#include "core/phase_log.hpp"

namespace spmv {

const char* phase_name(Phase phase) {
  static constexpr const char* names[phase_count] = {"upload_x", "gather",   "d2h",      "mpi",       "h2d",
                                                     "merged",   "interior", "boundary", "download_y"};
  return names[static_cast<std::size_t>(phase)];
}

PhaseLog::PhaseLog(const std::shared_ptr<Backend>& backend)
    : backend_(backend), origin_(backend->make_event()) {
  for (Slot& slot : slots_) {
    slot.begin = backend->make_event();
    slot.end = backend->make_event();
  }
}

void PhaseLog::begin_product(Queue& queue) {
  for (Slot& slot : slots_) slot.kind = Kind::absent;
  queue.record(*origin_);
  queue.synchronize();
  host_origin_ = Clock::now();
}

std::vector<Interval> PhaseLog::intervals() const {
  std::vector<Interval> list;
  const auto since_origin = [&](Clock::time_point time) {
    return std::chrono::duration<double>(time - host_origin_).count();
  };
  for (std::size_t i = 0; i < phase_count; ++i) {
    const Slot& slot = slots_[i];
    const auto phase = static_cast<Phase>(i);
    if (slot.kind == Kind::device)
      list.push_back({phase, slot.begin->seconds_since(*origin_), slot.end->seconds_since(*origin_)});
    if (slot.kind == Kind::host)
      list.push_back({phase, since_origin(slot.host_begin), since_origin(slot.host_end)});
  }
  return list;
}

}  // namespace spmv
