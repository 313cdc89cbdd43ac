#include "app/html/words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/printable.hpp"

namespace spmv::html {
namespace {

struct Unit {
  double size;
  const char* name;
};

/// `x` in the largest of the units, which descend, that it reaches; in the last one if it reaches none.
template <std::size_t count>
std::string in_units(double x, const Unit (&units)[count]) {
  for (const Unit& unit : units)
    if (std::abs(x) >= unit.size * 0.9995) return digits(x / unit.size) + " " + unit.name;
  return x == 0 ? fmt::format("0 {}", units[count - 1].name)
                : fmt::format("{} {}", digits(x / units[count - 1].size), units[count - 1].name);
}

/// U+202A to U+202E and U+2066 to U+2069: they would show a name in another order than it is written in.
bool turns_direction(std::string_view three_bytes) {
  if (three_bytes.size() < 3 || three_bytes[0] != '\xe2') return false;
  const auto last = static_cast<unsigned char>(three_bytes[2]);
  return (three_bytes[1] == '\x80' && last >= 0xaa && last <= 0xae) ||
         (three_bytes[1] == '\x81' && last >= 0xa6 && last <= 0xa9);
}

}  // namespace

std::string escape(std::string_view text) {
  const std::string plain = printable_lines(text);
  std::string out;
  out.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    switch (plain[i]) {
      case '&':
        out += "&amp;";
        continue;
      case '<':
        out += "&lt;";
        continue;
      case '>':
        out += "&gt;";
        continue;
      case '"':
        out += "&quot;";
        continue;
      case '\'':
        out += "&#39;";
        continue;
      default:
        break;
    }
    const std::string_view next = std::string_view(plain).substr(i, 3);
    if (turns_direction(next)) {
      out += fmt::format("\\u20{:02x}",
                         (next[1] == '\x80' ? 0x00 : 0x40) + (static_cast<unsigned char>(next[2]) & 0x3fU));
      i += 2;
    } else {
      out += plain[i];
    }
  }
  return out;
}

std::string digits(double x) {
  constexpr double smallest = 1e-3, largest = 1e7;
  const double size = std::abs(x);
  if (size != 0 && (size < smallest || size >= largest)) return fmt::format("{:.2e}", x);
  int behind_point = 0;
  for (double bound = 99.95; size != 0 && size < bound; bound /= 10) ++behind_point;  // 99.96 is 100
  return fmt::format("{:.{}f}", x, behind_point);
}

std::string seconds(double s) {
  return in_units(s, {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}});
}

std::string bytes(double b) {
  return in_units(b, {Unit{1e12, "TB"}, Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}, Unit{1, "B"}});
}

std::string count(double n) {
  if (n != std::floor(n) || std::abs(n) >= 1e15) return digits(n);
  std::string plain = fmt::format("{:.0f}", std::abs(n)), out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && (plain.size() - i) % 3 == 0) out += "\u202f";
    out += plain[i];
  }
  return (n < 0 ? "-" : "") + out;
}

std::string percent(double share) {
  const double of_100 = share * 100;
  return fmt::format("{:.{}f} %", of_100, of_100 != 0 && std::abs(of_100) < 9.95 ? 1 : 0);
}

std::string plural(double n, std::string_view word) {
  return fmt::format("{} {}{}", count(n), word, n == 1 ? "" : "s");
}

}  // namespace spmv::html
