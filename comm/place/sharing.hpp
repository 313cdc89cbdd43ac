// Which ranks share a GPU or cores, also across containers of one machine, which have host names of their own and are
// separate nodes to MPI. Pure.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// The machine that a rank runs on, and what it uses there.
struct RankPlace {
  std::string host;
  std::string boot_id;     // boot_id()
  std::vector<int> cores;  // that it may use, as the kernel numbers them
  std::string gpu;         // Backend::device_uuid(); empty: it computes on the host
  bool mps = false;        // Backend::runs_beside_others()
};

/// A GPU that several ranks use.
struct SharedGpu {
  std::string gpu;
  std::vector<int> ranks;          // ascending
  std::vector<std::string> hosts;  // theirs, each once
  bool mps = false;  // whether all of them go through MPS, which runs their kernels side by side
};

/// Cores of one machine that ranks of several hosts may use.
struct SharedCores {
  std::vector<std::string> hosts;  // each once, in the order of their ranks
  std::vector<int> ranks;          // that may use some of these cores, ascending
  std::vector<int> cores;          // ascending
};

/// The id of the kernel, or the host's name if it is not known.
const std::string& machine_of(const RankPlace& place);
/// The node: ranks of one host name under one kernel, which may share memory unless their containers forbid it. Where the kernel
/// does not tell its id, the host name alone decides.
std::string node_of(const RankPlace& place);
/// Whether both run under one kernel.
bool same_machine(const RankPlace& a, const RankPlace& b);
/// Whether both compute on the same GPU.
bool same_gpu(const RankPlace& a, const RankPlace& b);

/// The ranks of every GPU in use, in the order of its first rank.
std::vector<std::vector<int>> ranks_by_gpu(const std::vector<RankPlace>& ranks);

/// Every GPU of two ranks or more, in the order of its first rank.
std::vector<SharedGpu> shared_gpus(const std::vector<RankPlace>& ranks);

/// One for every machine on which ranks of different hosts may use the same core.
std::vector<SharedCores> cores_of_several_hosts(const std::vector<RankPlace>& ranks);

}  // namespace spmv
