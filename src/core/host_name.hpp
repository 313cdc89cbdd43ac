#pragma once

#include <string>

namespace spmv {

/// What this machine, or container, calls itself. Local.
std::string host_name();

}  // namespace spmv
