#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace spmv
