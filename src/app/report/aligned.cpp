#include "app/report/aligned.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spmv {

std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  if (lines.empty()) return {};
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row += (i < left || i + 1 == line.size() ? fmt::format("{:<{}}", line[i], widths[i])
                                               : fmt::format("{:>{}}", line[i], widths[i])) +
             "  ";
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace spmv
