#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace spmv::test {

/// Files that this process holds open, and one more: the list of them.
inline std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                                std::filesystem::directory_iterator()));
}

}  // namespace spmv::test
