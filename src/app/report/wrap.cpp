#include "app/report/wrap.hpp"

#include <algorithm>

namespace spmv {
namespace {

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}

/// Where the character number `count` of a text begins; its end where it has no more than that.
std::size_t position(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && count-- == 0) break;
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string wrapped(std::string_view label, std::string_view text, std::size_t columns) {
  const std::size_t indent = columns_of(label);
  const std::size_t room = columns - indent;
  std::string lines(label);
  std::size_t used = 0;  // columns of the text in this line
  const auto next_line = [&] {
    lines += '\n';
    lines.append(indent, ' ');
    used = 0;
  };
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (used > 0 && used + 1 + columns_of(word) > room) next_line();
    if (used > 0) {
      lines += ' ';
      ++used;
    }
    while (columns_of(word) > room) {
      const std::size_t cut = position(word, room);
      lines += word.substr(0, cut);
      word.remove_prefix(cut);
      next_line();
    }
    lines += word;
    used += columns_of(word);
  }
  lines.erase(lines.find_last_not_of(' ') + 1);
  return lines + '\n';
}

std::string shortened(const std::string& name, std::size_t columns) {
  constexpr std::string_view gap = "...";
  const std::size_t all = columns_of(name);
  if (all <= columns) return name;
  const std::size_t kept = columns - gap.size();
  const std::size_t front = kept / 2, back = kept - front;
  return name.substr(0, position(name, front)) + std::string(gap) + name.substr(position(name, all - back));
}

}  // namespace spmv
