#include "comm/transports/staging/uploads.hpp"

#include <algorithm>

#include "comm/transports/staging/pieces.hpp"

namespace spmv {

void Uploads::begin(std::byte* halo, PhaseLog* log) {
  halo_ = halo;
  log_ = log;
  held_.clear();
  held_bytes_ = 0;
  begun_ = false;
}

void Uploads::add(Queue& queue, std::size_t to, const std::byte* from, std::size_t bytes) {
  held_.push_back({to, from, bytes});
  held_bytes_ += bytes;
  if (held_bytes_ >= least_copy_bytes) flush(queue);
}

void Uploads::end(Queue& queue) {
  flush(queue);
  if (begun_ && log_ != nullptr) log_->end(Phase::h2d, queue);
}

void Uploads::flush(Queue& queue) {
  if (held_.empty()) return;
  if (!begun_ && log_ != nullptr) log_->begin(Phase::h2d, queue);
  begun_ = true;
  std::sort(held_.begin(), held_.end(), [](const Part& a, const Part& b) { return a.to < b.to; });
  Part run = held_.front();
  for (std::size_t i = 1; i < held_.size(); ++i) {
    const Part& next = held_[i];
    if (next.to == run.to + run.bytes && next.from == run.from + run.bytes) {
      run.bytes += next.bytes;
      continue;
    }
    queue.copy(halo_ + run.to, run.from, run.bytes, Copy::to_device);
    run = next;
  }
  queue.copy(halo_ + run.to, run.from, run.bytes, Copy::to_device);
  held_.clear();
  held_bytes_ = 0;
}

}  // namespace spmv
