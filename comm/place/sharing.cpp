#include "comm/place/sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace spmv {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Ranks with the same key, ascending, for every key that is not empty; in the order of the first rank of each.
template <class Key>
std::vector<std::vector<int>> grouped(const std::vector<RankPlace>& ranks, const Key& key_of) {
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<int>> groups;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::string key = key_of(ranks[rank]);
    if (key.empty()) continue;
    const auto [at, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(static_cast<int>(rank));
  }
  return groups;
}

/// Empty without a GPU.
std::string gpu_of(const RankPlace& place) {
  return place.gpu.empty() ? "" : place.gpu + " " + machine_of(place);
}

/// For every core the hosts of those ranks in `of` that may use it.
std::map<int, std::vector<std::string>> hosts_by_core(const std::vector<RankPlace>& ranks,
                                                      const std::vector<int>& of) {
  std::map<int, std::vector<std::string>> hosts;
  for (const int rank : of) {
    const RankPlace& place = ranks[static_cast<std::size_t>(rank)];
    for (const int core : place.cores) add_once(hosts[core], place.host);
  }
  return hosts;
}

}  // namespace

const std::string& machine_of(const RankPlace& place) {
  return place.boot_id.empty() ? place.host : place.boot_id;
}

std::string node_of(const RankPlace& place) {
  return place.host + " " + place.boot_id;
}

bool same_machine(const RankPlace& a, const RankPlace& b) {
  return machine_of(a) == machine_of(b);
}

bool same_gpu(const RankPlace& a, const RankPlace& b) {
  return !a.gpu.empty() && gpu_of(a) == gpu_of(b);
}

std::vector<std::vector<int>> ranks_by_gpu(const std::vector<RankPlace>& ranks) {
  return grouped(ranks, gpu_of);
}

std::vector<SharedGpu> shared_gpus(const std::vector<RankPlace>& ranks) {
  std::vector<SharedGpu> shared;
  for (const std::vector<int>& group : ranks_by_gpu(ranks)) {
    if (group.size() < 2) continue;
    SharedGpu gpu{
        .gpu = ranks[static_cast<std::size_t>(group.front())].gpu, .ranks = group, .hosts = {}, .mps = true};
    for (const int rank : group) {
      const RankPlace& place = ranks[static_cast<std::size_t>(rank)];
      add_once(gpu.hosts, place.host);
      gpu.mps = gpu.mps && place.mps;
    }
    shared.push_back(std::move(gpu));
  }
  return shared;
}

std::vector<SharedCores> cores_of_several_hosts(const std::vector<RankPlace>& ranks) {
  std::vector<SharedCores> shared;
  for (const std::vector<int>& machine : grouped(ranks, machine_of)) {
    const auto hosts = hosts_by_core(ranks, machine);
    const auto is_shared = [&](int core) { return hosts.at(core).size() > 1; };
    SharedCores found;
    for (const auto& [core, names] : hosts)
      if (names.size() > 1) found.cores.push_back(core);
    for (const int rank : machine) {
      const RankPlace& place = ranks[static_cast<std::size_t>(rank)];
      if (std::none_of(place.cores.begin(), place.cores.end(), is_shared)) continue;
      found.ranks.push_back(rank);
      add_once(found.hosts, place.host);
    }
    if (!found.cores.empty()) shared.push_back(std::move(found));
  }
  return shared;
}

}  // namespace spmv
