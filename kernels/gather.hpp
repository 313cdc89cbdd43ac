// Gathers the elements that neighbours need into one contiguous buffer.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/types.hpp"

namespace spmv {

/// send_buffer[k] = x[index[k]] on one backend. Immutable after it is made; holds its indices in device
/// memory.
template <class T>
class Gather {
 public:
  Gather(const std::vector<lidx>& index, const std::shared_ptr<Backend>& backend);
  /// Queues the gather of size() elements. x and send_buffer are device memory and do not overlap. Local.
  void apply(Queue& queue, const T* x, T* send_buffer) const;
  lidx size() const { return count_; }
  /// In device memory.
  const lidx* index() const { return index_.data(); }

 private:
  lidx count_;
  Buffer<lidx> index_;
};

}  // namespace spmv
