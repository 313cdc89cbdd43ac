#pragma once

#include <string>
#include <vector>

namespace spmv {

/// Names in a folder, without "." and "..", in no order; none if it cannot be read. Does not use the standard library's
/// iterator, because GCC's ends the process if memory runs out. Throws std::bad_alloc. Local.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace spmv
