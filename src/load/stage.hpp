// How far loading and writing is, for whoever waits for it.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "io/progress.hpp"

namespace spmv {

/// Told on every rank that a stage begins, or goes on, and which share of this rank's part of it is done, up to 1; 0: not
/// known. May be empty.
using StageListener = std::function<void(const std::string& stage, double share)>;

/// Tells a listener, which must outlive it, of this stage as something of it is counted. Local.
inline Progress counted(const StageListener& listener, std::string stage) {
  if (!listener) return {};
  return [&listener, stage = std::move(stage)](std::uint64_t done, std::uint64_t total) {
    listener(stage, total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
  };
}

}  // namespace spmv
