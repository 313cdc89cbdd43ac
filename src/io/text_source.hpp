// The bytes of a text in order. Local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spmv {

class TextSource {
 public:
  virtual ~TextSource() = default;
  /// Writes up to `size` bytes to `to` and returns their number; 0 only at the end of the text. Throws Error(input) if the
  /// file is damaged.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Bytes of the file used so far; compressed ones if the file is compressed.
  virtual std::uint64_t file_bytes_done() const = 0;
};

/// Reads until `size` bytes are there or the text ends. Returns the number of bytes. Throws as read().
inline std::size_t read_full(TextSource& source, char* to, std::size_t size) {
  std::size_t filled = 0;
  for (std::size_t got = 1; got > 0 && filled < size; filled += got)
    got = source.read(to + filled, size - filled);
  return filled;
}

/// Reads and drops `bytes` bytes, or all up to the end. Returns the number of bytes. Throws as read().
inline std::uint64_t skip_bytes(TextSource& source, std::uint64_t bytes) {
  constexpr std::uint64_t most = 256 * 1024;
  std::vector<char> dropped(std::min(bytes, most));
  std::uint64_t done = 0;
  for (std::size_t got = 1; got > 0 && done < bytes; done += got)
    got = source.read(dropped.data(), std::min<std::uint64_t>(bytes - done, dropped.size()));
  return done;
}

}  // namespace spmv
