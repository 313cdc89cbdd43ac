// The progress of loading and writing.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "io/progress.hpp"

namespace spmv {

/// Called on every rank when a stage begins or goes on. `share`: how much of this rank's part is done, 0 to 1; 0: not
/// known. May be empty.
using StageListener = std::function<void(const std::string& stage, double share)>;

/// A counter that reports to a listener how much of a stage is done. The listener must outlive it. Local.
inline Progress counted(const StageListener& listener, std::string stage) {
  if (!listener) return {};
  return [&listener, stage = std::move(stage)](std::uint64_t done, std::uint64_t total) {
    listener(stage, total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
  };
}

}  // namespace spmv
