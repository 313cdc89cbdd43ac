// Texts of nothing but numbers, by what their lines look like. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace spmv {

/// The first lines of a text that are numbers with blanks, or the same mark, between them.
struct NumberLines {
  static constexpr std::size_t most_lines = 2000;

  std::vector<std::vector<double>> lines;  // without comments, which begin with #, % or //
  bool only = true;     // no line is anything else; a title of words above marked columns does not count
  bool titled = false;  // there is one
  bool whole = true;    // these are all lines of the text
};

/// `mark`: what stands between numbers, beside blanks; a blank where nothing does. `whole`: `bytes` are not the first ones only.
NumberLines number_lines(std::string_view bytes, char mark, bool whole);

/// "rows columns entries" and such entries of so many numbers each, as in a Matrix Market file without its first line.
bool are_sizes_and_entries(const NumberLines& text, std::size_t numbers);
/// Lines "row column" or "row column value" with whole ids.
bool are_entries(const NumberLines& text);
/// METIS: "vertices edges" and what of their weights is there; then a line of neighbours for every vertex.
bool are_neighbours(const NumberLines& text);
/// As many numbers in every line.
bool are_table(const NumberLines& text);

}  // namespace spmv
