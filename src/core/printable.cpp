#include "core/printable.hpp"

#include <algorithm>
#include <cstddef>

namespace spmv {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// Bytes of the character that `text` begins with, or 0 where that is none: cut off, overlong, a surrogate,
/// or beyond Unicode.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes), continues)) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || beyond ? 0 : bytes;
}

/// Those of ASCII, and U+0080 to U+009F, which terminals obey as well.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr const char* digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
  }
}

/// Escapes what is not UTF-8, and the characters for which unwanted(character) holds.
template <class Unwanted>
std::string escaped(std::string_view text, const Unwanted& unwanted) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0 || unwanted(character))
      append_escaped(out, character);
    else
      out.append(character);
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, is_control);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, [](std::string_view character) { return character != "\n" && is_control(character); });
}

std::string valid_utf8(std::string_view text) {
  return escaped(text, [](std::string_view) { return false; });
}

}  // namespace spmv
