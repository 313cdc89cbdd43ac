// Files that are not read here, by what they are and how to make something of them that is. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spmv {

/// What is seen of a file.
struct FileLook {
  static constexpr std::size_t most_bytes = std::size_t{64} * 1024;

  std::string_view bytes;        // its first ones, unpacked
  std::uint64_t file_bytes = 0;  // of the file, packed or not
  bool packed = false;           // by gzip
  std::string path;
  std::string member;  // of the archive `path`, if it is one
};

/// "is a PDF document; ...": what the file is and what to do, with a command that can be pasted into a shell; empty for a
/// file of no kind that is known.
std::string what_else(const FileLook& look);

}  // namespace spmv
