// Text from outside, such as a file's name, on its way to a terminal or into a report.
#pragma once

#include <string>
#include <string_view>

namespace spmv {

/// One line that a terminal shows as it is: control characters, and bytes that are not UTF-8, appear as \x1b.
/// Pure.
std::string printable(std::string_view text);

/// The same for text of several lines, whose line ends stay. Pure.
std::string printable_lines(std::string_view text);

/// Valid UTF-8: every byte that belongs to none appears as \xe9; all else stays. Pure.
std::string valid_utf8(std::string_view text);

}  // namespace spmv
