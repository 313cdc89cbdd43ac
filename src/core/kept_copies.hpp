// Device copies of host arrays that are uploaded again and again: as trials build one block in many formats.
//
//   keep(array) ─► upload, once            upload of the same array ─► copy on the device, ten times as fast
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/backend.hpp"

namespace spmv {

/// The copies that a backend keeps. Several threads may keep and upload their own arrays at the same time. A thread uploads
/// an array only if it keeps it itself, or if nobody does.
class KeptCopies {
 public:
  /// `backend` outlives this.
  explicit KeptCopies(Backend& backend) : backend_(backend) {}
  KeptCopies(const KeptCopies&) = delete;
  KeptCopies& operator=(const KeptCopies&) = delete;

  /// See Backend::keep_copy().
  std::unique_ptr<KeptCopy> keep(const void* from, std::size_t bytes);
  /// See Backend::kept_copy().
  const void* find(const void* from, std::size_t bytes) const;
  /// Copies what is kept of the array to device memory at `to`, and blocks until it is there; false if nothing is kept.
  bool copy(void* to, const void* from, std::size_t bytes) const;

 private:
  class Entry;
  using Array = std::pair<const void*, std::size_t>;

  Backend& backend_;
  mutable std::mutex mutex_;
  std::multimap<Array, const void*> kept_;  // an array may be kept by several
};

}  // namespace spmv
