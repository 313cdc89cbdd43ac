#include "dist/place.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include "comm/place/devices.hpp"
#include "comm/place/near_cores.hpp"
#include "core/error.hpp"
#include "core/host_name.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

/// OMP_NUM_THREADS, of several numbers the first; 0 where it is not set or is no number. More threads than
/// any run could want would end the process inside OpenMP's library: throws Error(usage).
int threads_in_environment() {
  constexpr const char* name = "OMP_NUM_THREADS";
  const char* text = std::getenv(name);
  const long threads = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  const long most = std::max(1024L, 4 * sysconf(_SC_NPROCESSORS_ONLN));
  if (threads > most)
    throw Error(ExitCode::usage,
                fmt::format("{}={} is too many: at most {} threads can be used here, and more "
                            "than a rank's cores never help",
                            name, text, most));
  return static_cast<int>(std::max(threads, 0L));
}

/// OpenMP's library ends the process if it cannot start its threads, so that as many are started here first.
/// Throws std::system_error if that fails.
void try_threads(int count) {
  std::mutex gate;
  std::vector<std::jthread> tried;  // joined behind the gate's opening
  const std::lock_guard closed(gate);
  for (int i = 1; i < count; ++i) tried.emplace_back([&gate] { const std::lock_guard pass(gate); });
}

/// What auto_backend stands for, the same on every rank, and on a rank without a GPU why. Collective.
std::string choose_backend(const Communicator& communicator, std::string& why_no_gpu) {
  const std::string reason = why_no_cuda();
  if (communicator.min(gidx{reason.empty()}) == 1) return "cuda";
  why_no_gpu = reason.empty() ? "another rank has no usable GPU" : reason;
  return "host";
}

}  // namespace

Place find_place(const Communicator& communicator, const PlaceRequest& request) {
  const int wanted = communicator.together([] { return threads_in_environment(); });
  Place place;
  const Communicator node = communicator.node();
  place.nodes = static_cast<int>(communicator.sum(gidx{node.rank() == 0}));
  const std::string name =
      request.backend == auto_backend ? choose_backend(communicator, place.why_no_gpu) : request.backend;
  place.backend = communicator.together([&] {
    return pick(backends(), name, "backend").make({node.rank(), node.size(), 0, request.device});
  });
  const std::string device = communicator.together([&] { return place.backend->device_id(); });
  if (communicator.min(gidx{!device.empty()}) == 1)
    place.backend->share_device(ranks_on_device(communicator, place.backend->device_uuid()));
  const Communicator machine = ranks_of_machine(communicator);
  place.on_machine = machine.size();
  place.cores = find_cores(machine, cores_near(device));
  place.cores_of_several_hosts = communicator.max(gidx{place.cores.sharing > find_cores(node).sharing}) == 1;
  place.threads = request.threads > 0 ? request.threads : wanted > 0 ? wanted : place.cores.per_rank;
  communicator.together([&] { try_threads(place.threads); });
  place.host = host_name();
  place.description =
      fmt::format("{}: {}, {} of {} usable cores, {} OpenMP threads, communication core {}", place.host,
                  place.backend->describe(), place.cores.per_rank, place.cores.all.size(), place.threads,
                  place.cores.comm_core < 0 ? "shared" : std::to_string(place.cores.comm_core));
  return place;
}

std::vector<int> place_threads(const Place& place, bool apart) {
  const bool own_core = apart && place.cores.comm_core >= 0;
  omp_set_num_threads(own_core ? std::min(place.threads, place.cores.per_rank - 1) : place.threads);
  const std::vector<int>& cores = own_core ? place.cores.compute : place.cores.all;
  std::vector<int> workers(static_cast<std::size_t>(omp_get_max_threads()), 0);
#pragma omp parallel
  {
    bind_to(cores);
    workers[static_cast<std::size_t>(omp_get_thread_num())] = gettid();
  }
  std::erase_if(workers, [mine = gettid()](int id) { return id == 0 || id == mine; });
  return workers;
}

}  // namespace spmv
