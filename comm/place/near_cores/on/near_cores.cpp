#include "comm/place/near_cores.hpp"

#include <hwloc.h>

namespace spmv {
namespace {

/// The machine as hwloc sees it, with its PCI devices; empty where it cannot be looked at.
class Topology {
 public:
  Topology() {
    if (hwloc_topology_init(&topology_) != 0) return;
    hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    loaded_ = hwloc_topology_load(topology_) == 0;
  }
  ~Topology() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// What the device is attached to, or nullptr.
  hwloc_obj_t place_of(const std::string& device_id) const {
    if (!loaded_) return nullptr;
    const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology_, device_id.c_str());
    return device == nullptr ? nullptr : hwloc_get_non_io_ancestor_obj(topology_, device);
  }

 private:
  hwloc_topology_t topology_ = nullptr;
  bool loaded_ = false;
};

}  // namespace

std::vector<int> cores_near(const std::string& device_id) {
  std::vector<int> cores;
  if (device_id.empty()) return cores;
  const Topology topology;
  const hwloc_obj_t place = topology.place_of(device_id);
  if (place == nullptr || place->cpuset == nullptr) return cores;
  for (int core = hwloc_bitmap_first(place->cpuset); core >= 0; core = hwloc_bitmap_next(place->cpuset, core))
    cores.push_back(core);
  return cores;
}

}  // namespace spmv
