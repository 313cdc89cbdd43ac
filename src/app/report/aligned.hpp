#pragma once

#include <string>
#include <vector>

namespace spmv {

/// Lines of cells, as many in every line, as columns: the last cell and the first `left` to the left, the others to the right. Pure.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left = 1);

}  // namespace spmv
