// Where a rank runs: its device, its cores, and how many threads it may use. Nothing here prints or ends the
// process; what is worth saying is in the fields of Place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/place/cores.hpp"
#include "core/backend.hpp"

namespace spmv {

/// As a backend's name: a GPU where every rank has one, otherwise the host.
inline constexpr const char* auto_backend = "auto";

/// What the user asks for.
struct PlaceRequest {
  std::string backend = auto_backend;  // or a name of backends()
  int device = -1;                     // number of the GPU; -1: those of a node are dealt round robin
  int threads = 0;                     // of OpenMP; 0: see find_place()
};

/// What one rank was given.
struct Place {
  std::shared_ptr<Backend> backend;
  std::string why_no_gpu;  // why auto_backend took the host on this rank; otherwise empty
  Cores cores;
  int threads = 1;     // OpenMP threads of a rank when no communication thread needs a core
  int nodes = 1;       // of the whole communicator
  int on_machine = 1;  // ranks, this one included, under this machine's kernel: ranks_of_machine()
  bool cores_of_several_hosts = false;  // whether ranks of different hosts may use the same core somewhere
  std::string host;                     // name of the node
  std::string description;              // host name, device, cores and threads: one line
};

/// Chooses the backend, the same on every rank, and this rank's device; tells the device how many ranks share
/// it; counts cores. The number of threads is the one asked for, or OMP_NUM_THREADS where that is set,
/// otherwise that of the cores that the rank may count on. The calling thread keeps its cores and its
/// number of threads. Collective; throws AgreedError: usage for an unknown name and for an OMP_NUM_THREADS beyond reason,
/// memory where that many threads cannot be started, environment where the
/// backend named cannot be used.
Place find_place(const Communicator& communicator, const PlaceRequest& request);

/// Sets the number of OpenMP threads of the calling thread, and binds them to this rank's cores; `apart`: to
/// those that the communication thread leaves, one fewer, where it has a core of its own. Returns the kernel's ids of
/// these threads but the calling one's. Local.
std::vector<int> place_threads(const Place& place, bool apart);

}  // namespace spmv
