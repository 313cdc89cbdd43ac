// Text in lines of limited width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spmv {

/// The width of every terminal.
inline constexpr std::size_t report_columns = 80;

/// How many columns a text takes: one for every character of UTF-8. Pure.
std::size_t columns_of(std::string_view text);

/// `text` in lines of at most `columns`, each with a newline; the first begins with `label`, the others are indented by its
/// width. Lines break at blanks; a word that is wider than a line is cut. Pure.
std::string wrapped(std::string_view label, std::string_view text, std::size_t columns = report_columns);

/// A name in at most so many columns (eight or more): of a longer one the begin, "..." and the end. Pure.
std::string shortened(const std::string& name, std::size_t columns);

}  // namespace spmv
