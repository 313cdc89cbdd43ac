#pragma once

#include <string>

#include "core/backend.hpp"

namespace spmv {

/// Bytes of the largest caches of this machine's processors, all together, as the kernel tells below `folder`; 0 where it
/// does not. Local.
double processor_cache_bytes(const std::string& folder = "/sys/devices/system/cpu");

/// Bytes of cache that one of `ranks` ranks of a node may count on, where this backend computes. Local.
inline double cache_bytes(const Backend& backend, int ranks) {
  return backend.runs_host_code() ? processor_cache_bytes() / ranks
                                  : static_cast<double>(backend.cache_bytes());
}

}  // namespace spmv
