#include "dist/machine/place.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include "comm/place/devices.hpp"
#include "comm/place/near_cores.hpp"
#include "comm/place/openmp_threads.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/this_machine.hpp"

namespace spmv {
namespace {

/// The backend that auto_backend means, the same on every rank; a rank without a GPU gets the reason. Collective.
std::string choose_backend(const Communicator& communicator, std::string& why_no_gpu) {
  const std::string reason = why_no_cuda();
  if (communicator.all_of(reason.empty())) return "cuda";
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
  if (communicator.all_of(!device.empty()))
    place.backend->share_device(ranks_on_device(communicator, place.backend->device_uuid()));
  const Communicator machine = ranks_of_machine(communicator);
  place.on_machine = machine.size();
  place.cores = find_cores(machine, cores_near(device));
  place.cores_of_several_hosts = communicator.any_of(place.cores.sharing > find_cores(node).sharing);
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
