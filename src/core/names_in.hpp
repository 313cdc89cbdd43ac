#pragma once

#include <string>
#include <vector>

namespace spmv {

/// Names of what is in a folder, but for "." and "..", in no order; none where it cannot be read. The standard
/// library's iterator is not used for it because the one of GCC ends the process where memory runs out. Throws
/// std::bad_alloc. Local.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace spmv
