#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// The text of the lowest rank that has one, on every rank; empty where no rank has any. Collective.
std::string first_reason(const Communicator& communicator, const std::string& mine);

}  // namespace spmv
