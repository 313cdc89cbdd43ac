#include "io/line_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "io/input_checks.hpp"

namespace spmv {
namespace {

const char* find_newline(const char* begin, const char* end) {
  return static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

}  // namespace

LineBlocks::LineBlocks(const Text& text, std::uint64_t begin, std::uint64_t end) : text_(text), end_(end) {
  // The byte before the range shows whether a line begins with the range.
  position_ = begin == 0 ? 0 : begin - 1;
  source_ = open_text(text, position_);
  finished_ = begin >= end;
  if (begin > 0 && !finished_) drop_unfinished_line();
}

std::string_view LineBlocks::next() {
  filled_ -= taken_;
  position_ += taken_;
  if (taken_ > 0) std::memmove(buffer_.data(), buffer_.data() + taken_, filled_);
  taken_ = 0;
  for (std::size_t searched = 0; !finished_ && position_ < end_;) {
    const std::size_t newline = std::string_view(buffer_.data() + searched, filled_ - searched).rfind('\n');
    if (newline != std::string_view::npos) return take(searched + newline + 1);
    searched = filled_;
    if (read_more() > 0) {
      check_first_line(searched);
    } else {
      finished_ = true;
      if (filled_ == 0) break;
      buffer_[filled_++] = '\n';
      return take(filled_);
    }
  }
  return {};
}

/// Leaves room for one more byte after the text.
std::size_t LineBlocks::read_more() {
  const std::uint64_t reached = position_ + filled_;
  const std::uint64_t missing = std::max<std::uint64_t>(reached < end_ ? end_ - reached : 0, 4096);
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(missing, text_.block_bytes));
  if (buffer_.size() < filled_ + size + 1) buffer_.resize(filled_ + size + 1);
  const std::size_t got = source_->read(buffer_.data() + filled_, size);
  filled_ += got;
  return got;
}

void LineBlocks::drop_unfinished_line() {
  while (read_more() > 0) {
    const char* newline = find_newline(buffer_.data(), buffer_.data() + filled_);
    if (newline != nullptr) {
      taken_ = static_cast<std::size_t>(newline - buffer_.data()) + 1;
      return;
    }
    position_ += filled_;
    filled_ = 0;
  }
  finished_ = true;
}

/// The first `size` bytes, without lines that begin at end_ or later.
std::string_view LineBlocks::take(std::size_t size) {
  if (position_ + size > end_) {
    const char* last_byte_of_range = buffer_.data() + (end_ - 1 - position_);
    size =
        static_cast<std::size_t>(find_newline(last_byte_of_range, buffer_.data() + size) - buffer_.data()) +
        1;
    finished_ = true;
  }
  taken_ = size;
  return {buffer_.data(), size};
}

/// A line that is too long takes several reads, so it is the first in the buffer, and begins before `searched`.
void LineBlocks::check_first_line(std::size_t searched) const {
  if (filled_ <= max_line_bytes) return;
  const char* newline = find_newline(buffer_.data() + searched, buffer_.data() + filled_);
  const auto size = newline == nullptr ? filled_ : static_cast<std::size_t>(newline - buffer_.data());
  if (size <= max_line_bytes) return;
  refuse_line(text_.name, line_number(text_, position_),
              "a line of more than {} MiB; is this a Matrix Market file?", max_line_bytes >> 20);
}

}  // namespace spmv
