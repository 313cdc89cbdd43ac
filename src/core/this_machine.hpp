// What this machine says of itself.
#pragma once

#include <string>

#include "core/backend.hpp"

namespace spmv {

/// What this machine, or container, calls itself. Local.
std::string host_name();

/// The id of the running kernel: the same in all containers of a machine; empty if the system does not tell. Local.
std::string boot_id();

/// What the processor of this machine calls itself, such as "AMD EPYC"; "unknown processor" where it does not say.
/// With family, model and stepping where these are told, since names are often those of whole families. Local.
std::string processor_name();

/// Whether NVIDIA's MPS control daemon has a pipe where CUDA programs of this process look for it: in
/// CUDA_MPS_PIPE_DIRECTORY, or in /tmp/nvidia-mps. Local.
bool finds_mps_pipe();

/// Bytes of the largest caches of this machine's processors, all together, as the kernel tells below `folder`; 0 where it
/// does not. Local.
double processor_cache_bytes(const std::string& folder = "/sys/devices/system/cpu");

/// Bytes of cache that one of `ranks` ranks of a node may count on, where this backend computes. Local.
inline double cache_bytes(const Backend& backend, int ranks) {
  return backend.runs_host_code() ? processor_cache_bytes() / ranks
                                  : static_cast<double>(backend.cache_bytes());
}

}  // namespace spmv
