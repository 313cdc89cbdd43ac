// Numbers and names as a page says them.
#pragma once

#include <string>
#include <string_view>

namespace spmv::html {

/// Text from anywhere as text of HTML, also within an attribute: markup becomes characters; control characters, characters that turn
/// the direction of writing, and bytes that are not UTF-8 become visible escapes. Line ends stay. Pure.
std::string escape(std::string_view text);

/// Three digits and a unit. Pure.
std::string seconds(double s);
std::string bytes(double b);
/// Three digits; large numbers whole, with thin spaces between groups of three digits. Pure.
std::string count(double n);
/// "42 %", with a digit behind the point below 10. Pure.
std::string percent(double share);
/// Three digits. Pure.
std::string digits(double x);

/// "1 rank", "3 ranks". Pure.
std::string plural(double n, std::string_view word);

}  // namespace spmv::html
