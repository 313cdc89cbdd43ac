#include "comm/place/devices.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "comm/place/sharing.hpp"
#include "core/this_machine.hpp"

namespace spmv {
namespace {

/// Every rank's host, machine and device, by rank. Collective.
std::vector<RankPlace> gather_places(const Communicator& communicator, const std::string& device_uuid) {
  const std::vector<std::string> hosts = communicator.all_gather(host_name());
  const std::vector<std::string> machines = communicator.all_gather(boot_id());
  const std::vector<std::string> devices = communicator.all_gather(device_uuid);
  std::vector<RankPlace> places;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    places.push_back({.host = hosts[rank], .boot_id = machines[rank], .cores = {}, .gpu = devices[rank]});
  return places;
}

}  // namespace

Communicator ranks_of_machine(const Communicator& communicator) {
  return communicator.split(machine_of({.host = host_name(), .boot_id = boot_id(), .cores = {}, .gpu = {}}));
}

int ranks_on_device(const Communicator& communicator, const std::string& device_uuid) {
  const std::vector<RankPlace> places = gather_places(communicator, device_uuid);
  const RankPlace& mine = places[static_cast<std::size_t>(communicator.rank())];
  return static_cast<int>(std::count_if(places.begin(), places.end(),
                                        [&](const RankPlace& place) { return same_gpu(place, mine); }));
}

}  // namespace spmv
