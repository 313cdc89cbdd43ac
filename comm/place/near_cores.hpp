// Which cores lie next to a GPU: one file with hwloc, one without it.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// The cores of the NUMA node that the device with this PCI address is attached to, ascending; empty where
/// that is not known, or where there is no such device. Local.
std::vector<int> cores_near(const std::string& device_id);

}  // namespace spmv
