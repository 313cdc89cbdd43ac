#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace spmv::test {

/// Number of files that this process has open, plus one for the folder that lists them.
inline std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                                std::filesystem::directory_iterator()));
}

}  // namespace spmv::test
