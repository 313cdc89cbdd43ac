#pragma once

#include <string>

namespace spmv {

/// Version of the program and of what it was built with, one per line. Local.
std::string version_text();

/// The program's own version. Local.
std::string program_version();

}  // namespace spmv
