// A text in blocks of whole lines, for the parser. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/text.hpp"

namespace spmv {

/// The lines with their first byte in [begin, end) of `text`, so every line is in exactly one of several adjacent ranges.
/// Positions count unpacked bytes.
class LineBlocks {
 public:
  static constexpr std::size_t max_line_bytes = std::size_t{16} * 1024 * 1024;

  /// Throws as open_text().
  LineBlocks(const Text& text, std::uint64_t begin, std::uint64_t end);

  /// One or more whole lines, valid until the next call; empty at the end. Every line ends with '\n', which is added to the
  /// last line if it is missing, so parsers need no other bound. Throws Error(input) for a damaged file or a line above
  /// max_line_bytes.
  std::string_view next();
  /// Position of the first byte of the latest block.
  std::uint64_t position() const { return position_; }
  /// File bytes used so far, for progress.
  std::uint64_t file_bytes_done() const { return source_->file_bytes_done(); }

 private:
  std::size_t read_more();
  void drop_unfinished_line();
  std::string_view take(std::size_t size);
  void check_first_line(std::size_t searched) const;

  Text text_;
  std::uint64_t end_;
  std::unique_ptr<TextSource> source_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;      // bytes of the text in the buffer
  std::size_t taken_ = 0;       // of these, returned by the latest call
  std::uint64_t position_ = 0;  // in the text, of the first byte in the buffer
  bool finished_ = false;
};

}  // namespace spmv
