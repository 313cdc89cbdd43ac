// A text as blocks of whole lines: the unit in which matrix files are parsed. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_source.hpp"

namespace spmv {

/// The lines whose first byte lies in [begin, end) of `text`, so that neighbouring ranges share
/// no line and miss none, wherever they are cut. Positions count unpacked bytes.
class LineBlocks {
 public:
  static constexpr std::size_t max_line_bytes = std::size_t{16} * 1024 * 1024;

  /// Throws as open_text.
  LineBlocks(const Text& text, std::uint64_t begin, std::uint64_t end);

  /// One or more whole lines, valid until the next call; empty at the end. Every line ends with '\n', one is
  /// added where the file has none, so parsers need no other bound. Throws Error(input) for a damaged file or
  /// a line above max_line_bytes.
  std::string_view next();
  /// Position of the latest block's first byte.
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
  std::size_t taken_ = 0;       // of these, handed out by the latest call
  std::uint64_t position_ = 0;  // of the buffer's first byte
  bool finished_ = false;
};

}  // namespace spmv
