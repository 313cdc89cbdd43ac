// Text for a terminal of so many columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spmv {

/// What every terminal has, and what is pasted into a mail or a paper.
inline constexpr std::size_t report_columns = 80;

/// How many columns a text takes: one for every character of UTF-8. Pure.
std::size_t columns_of(std::string_view text);

/// `text` in lines of at most `columns`, each ended by a newline, behind `label` in the first one; the later ones are
/// indented by as much as the label is wide, which must leave some columns. Lines break at blanks; a word that is wider
/// than a line is cut. Pure.
std::string wrapped(std::string_view label, std::string_view text, std::size_t columns = report_columns);

/// A name of at most so many columns (eight or more): of a longer one the begin and the end, with "..." between them. Pure.
std::string shortened(const std::string& name, std::size_t columns);

}  // namespace spmv
