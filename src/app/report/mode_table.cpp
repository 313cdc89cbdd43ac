#include "app/report/mode_table.hpp"

#include <fmt/format.h>

namespace spmv {

std::string mode_table(const std::vector<ModeColumn>& columns, const std::vector<ModeResult>& modes) {
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (const ModeColumn& column : columns) text += fmt::format(fmt::runtime(column.place), cell_of(column));
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add_line([](const ModeColumn& column) { return column.heading; });
  for (const ModeResult& mode : modes) add_line([&](const ModeColumn& column) { return column.cell(mode); });
  return text;
}

}  // namespace spmv
