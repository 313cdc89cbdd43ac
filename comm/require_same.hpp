// What all ranks must have been given alike: compared once, before anything goes by it.
#pragma once

#include <map>
#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// Values by what messages call them, such as "option mode". What is not there was not given.
using Given = std::map<std::string, std::string>;

/// Throws AgreedError(usage), which names the first that is not the same on all ranks, both values and a rank with each.
/// Collective.
void require_same(const Communicator& communicator, const Given& given);

}  // namespace spmv
