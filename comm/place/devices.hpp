// Which ranks run on one machine, and which use one device.
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// The ranks that run under this rank's kernel, in the order of the communicator: those of its node, and those in other
/// containers of the machine, see same_machine(). Collective.
Communicator ranks_of_machine(const Communicator& communicator);

/// How many ranks, this one included, use the device with this id, Backend::device_uuid(); 0 where it runs host code and
/// has no id. A launcher may show every rank one GPU only, under the same number, and containers may show one GPU to
/// several hosts: the ids tell whether it is the same GPU. Collective.
int ranks_on_device(const Communicator& communicator, const std::string& device_uuid);

}  // namespace spmv
