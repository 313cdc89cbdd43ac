#pragma once

#include <string>

namespace spmv {

/// Version of the program and of what it was built with, one per line. Local.
std::string version_text();

/// The commit that the program was built from, with -changed behind it where the source was not as committed; "unknown" where
/// there was no git. Pure.
std::string program_commit();

/// What the program was compiled with. Pure.
std::string compiler_version();
/// The CUDA toolkit that it was built with, or that there is none. Pure.
std::string cuda_version();

/// The program's own version. Local.
std::string program_version();

}  // namespace spmv
