#include "core/shell_words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spmv {
namespace {

bool is_control_byte(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+:,./-").find(c) != std::string_view::npos;
}

/// Plain words may hold a = after an option's name, and nowhere else, where it would be an assignment.
bool is_safe(std::string_view word) {
  const bool option = word.starts_with("--");
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [&](char c) { return is_plain(c) || (option && c == '='); });
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (is_safe(word)) return std::string(word);
  std::string text;
  if (std::none_of(word.begin(), word.end(), is_control_byte)) {
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "'" + text + "'";
  }
  for (const char c : word) {
    if (is_control_byte(c))
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else if (c == '\'' || c == '\\')
      text += std::string("\\") + c;
    else
      text += c;
  }
  return "$'" + text + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_word(word);
  }
  return text;
}

}  // namespace spmv
