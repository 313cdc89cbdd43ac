// Bytes of a text file, plain or gzip. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace spmv {

/// The text of one file in order, never more of it in memory than the caller asks for.
class TextSource {
 public:
  virtual ~TextSource() = default;
  /// Up to `size` bytes to `to`; 0 only at the end of the text. Throws Error(input) where the file is
  /// damaged.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Bytes of the file that have been used so far; compressed ones where the file is compressed.
  virtual std::uint64_t file_bytes_done() const = 0;
};

struct TextFileInfo {
  std::uint64_t file_bytes = 0;
  bool compressed = false;  // gzip by its first bytes, whatever its name
};

/// Throws Error(input) when the file is missing, a directory, unreadable, empty, packed by anything but gzip,
/// or a pointer that Git LFS left in its place.
TextFileInfo inspect_text(const std::string& path);

/// The text of `path` from its byte `begin` on, counted in unpacked bytes. Throws as inspect_text.
std::unique_ptr<TextSource> open_text(const std::string& path, std::uint64_t begin);

/// 1-based number of the line that holds byte `position` of the text. Reads the file from its start: for
/// errors.
std::uint64_t line_number(const std::string& path, std::uint64_t position);

}  // namespace spmv
