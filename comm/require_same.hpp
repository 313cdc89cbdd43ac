// Options that must be the same on all ranks: compared once, before they are used.
#pragma once

#include <map>
#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// The values that were given, by their names in messages, such as "option mode".
using Given = std::map<std::string, std::string>;

/// Throws AgreedError(usage), which names the first that is not the same on all ranks, both values and a rank with each.
/// Collective.
void require_same(const Communicator& communicator, const Given& given);

}  // namespace spmv
