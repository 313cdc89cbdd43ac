#include "io/number_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

namespace spmv {
namespace {

/// What may stand around numbers that have `mark` between them.
std::string_view blanks_beside(char mark) {
  return mark == '\t' ? " \r" : " \t\r\v\f";
}

/// The numbers of a line; false where something else is there.
bool take_numbers(std::string_view line, char mark, std::vector<double>& numbers) {
  const std::string_view blanks = blanks_beside(mark);
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return true;
    if (!numbers.empty() && mark != ' ') {
      if (line.front() != mark) return false;
      line.remove_prefix(1);
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    }
    if (line.starts_with('+')) line.remove_prefix(1);
    double value = 0;
    const auto [stop, status] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (status != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
    if (!line.empty() && line.front() != mark && blanks.find(line.front()) == std::string_view::npos)
      return false;
    numbers.push_back(value);
  }
}

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

bool is_whole(double value) {
  return value >= 0 && value == std::floor(value);
}

bool all_whole(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), is_whole);
}

bool same_count(const NumberLines& text) {
  return !text.lines.empty() && std::all_of(text.lines.begin(), text.lines.end(), [&](const auto& line) {
    return line.size() == text.lines.front().size();
  });
}

/// Lines without numbers mean something to METIS only.
NumberLines without_blank_lines(NumberLines text) {
  std::erase_if(text.lines, [](const auto& line) { return line.empty(); });
  return text;
}

bool is_entry(const std::vector<double>& line) {
  return line.size() >= 2 && line.size() <= 3 && is_whole(line[0]) && is_whole(line[1]);
}

/// METIS's word for which weights there are: three digits, 0 or 1.
bool is_weights(double digits) {
  constexpr double known[] = {1, 10, 11, 100, 101, 110, 111};
  return std::find(std::begin(known), std::end(known), digits) != std::end(known);
}

}  // namespace

NumberLines number_lines(std::string_view bytes, char mark, bool whole) {
  NumberLines text;
  text.whole = whole;
  while (!bytes.empty() && text.only) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos && !whole) break;
    if (text.lines.size() == NumberLines::most_lines) {
      text.whole = false;
      break;
    }
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (is_comment(line)) continue;
    std::vector<double> numbers;
    if (take_numbers(line, mark, numbers))
      text.lines.push_back(std::move(numbers));
    else if (mark != ' ' && text.lines.empty() && !text.titled && line.find(mark) != std::string_view::npos)
      text.titled = true;
    else
      text.only = false;
  }
  return text;
}

bool are_sizes_and_entries(const NumberLines& all, std::size_t numbers) {
  const NumberLines text = without_blank_lines(all);
  if (!text.only || text.lines.size() < 2 || text.lines[0].size() != 3 || !all_whole(text.lines[0]))
    return false;
  const auto& sizes = text.lines[0];
  const auto entries = static_cast<double>(text.lines.size() - 1);
  return (text.whole ? sizes[2] == entries : sizes[2] >= entries) &&
         std::all_of(text.lines.begin() + 1, text.lines.end(), [&](const auto& line) {
           return line.size() == numbers && is_whole(line[0]) && is_whole(line[1]) && line[0] >= 1 &&
                  line[0] <= sizes[0] && line[1] >= 1 && line[1] <= sizes[1];
         });
}

bool are_entries(const NumberLines& all) {
  const NumberLines text = without_blank_lines(all);
  return text.only && same_count(text) && std::all_of(text.lines.begin(), text.lines.end(), is_entry);
}

bool are_neighbours(const NumberLines& text) {
  if (!text.only || text.lines.size() < 2 || !std::all_of(text.lines.begin(), text.lines.end(), all_whole))
    return false;
  const auto& first = text.lines[0];
  if (first.size() < 2 || first.size() > 4) return false;
  const bool weights =
      first.size() > 2 && first[2] > 0;  // then there are other numbers beside the neighbours
  if (first.size() > 2 && first[2] != 0 && !is_weights(first[2])) return false;
  const auto vertices = static_cast<double>(text.lines.size() - 1);
  double neighbours = 0;
  bool inside = true;
  for (auto line = text.lines.begin() + 1; line != text.lines.end(); ++line) {
    neighbours += static_cast<double>(line->size());
    inside = inside &&
             std::all_of(line->begin(), line->end(), [&](double id) { return id >= 1 && id <= first[0]; });
  }
  const double ends = 2 * first[1];
  return (text.whole ? vertices == first[0] : vertices <= first[0]) &&
         (weights || (inside && (text.whole ? neighbours == ends : neighbours <= ends)));
}

bool are_table(const NumberLines& all) {
  const NumberLines text = without_blank_lines(all);
  return text.only && text.lines.size() >= 2 && same_count(text);
}

}  // namespace spmv
