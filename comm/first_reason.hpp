#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// The first text of all ranks that is not empty, on every rank. Collective.
std::string first_reason(const Communicator& communicator, const std::string& mine);

}  // namespace spmv
