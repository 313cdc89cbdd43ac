// Files of kinds that the program does not read: what they are, and how to make a readable file of them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spmv {

/// The part of a file that tells its kind.
struct FileLook {
  static constexpr std::size_t most_bytes = 4096;

  std::string_view bytes;  // the first ones, at most most_bytes, unpacked
  bool packed = false;     // by gzip
  std::string path;
  std::string member;  // name inside the tar archive `path`; empty: the file is no archive
};

/// "is a PDF document; ...": the kind of the file and what to do, with a command for a shell where there is one. Empty if the
/// kind is unknown.
std::string what_else(const FileLook& look);

}  // namespace spmv
