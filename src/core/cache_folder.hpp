// Where the program keeps what it may find again, and can do without.
#pragma once

#include <string>

namespace spmv {

/// spmv_dist under $XDG_CACHE_HOME or ~/.cache, which need not be there yet; empty where neither is set to an absolute path.
std::string cache_folder();

}  // namespace spmv
