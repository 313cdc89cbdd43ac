#include "app/report/paint.hpp"

#include <string_view>

#include <fmt/color.h>

namespace spmv {
namespace {

struct Paint {
  std::string_view word;
  fmt::terminal_color colour;
};

constexpr Paint paints[] = {{"correct", fmt::terminal_color::green},
                            {"WRONG", fmt::terminal_color::red},
                            {"INCOMPLETE", fmt::terminal_color::red},
                            {"unchecked", fmt::terminal_color::yellow}};

bool ends_word(std::string_view text, std::size_t at) {
  return at >= text.size() || std::string_view(" :\n").find(text[at]) != std::string_view::npos;
}

}  // namespace

std::string painted(const std::string& report) {
  std::string text;
  for (std::size_t at = 0; at < report.size();) {
    const bool begins = at == 0 || report[at - 1] == ' ' || report[at - 1] == '\n';
    std::string_view found;
    for (const auto& [word, colour] : paints)
      if (begins && report.compare(at, word.size(), word) == 0 && ends_word(report, at + word.size())) {
        text += fmt::format(fmt::fg(colour), "{}", word);
        found = word;
      }
    if (found.empty()) text += report[at];
    at += found.empty() ? 1 : found.size();
  }
  return text;
}

}  // namespace spmv
