// Which ranks of a node use one device.
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// How many ranks of the node, this one included, use the device with this id, see Backend::device_id(); 0
/// where it runs host code and has no id. A launcher may show every rank one GPU only, under the same number:
/// the ids tell whether it is the same GPU. Collective on `node`.
int ranks_on_device(const Communicator& node, const std::string& device_id);

}  // namespace spmv
