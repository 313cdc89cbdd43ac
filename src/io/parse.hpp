// Numbers and blanks of one line. The text must end with '\n': it ends every token, so the functions need no other bound.
// Errors are thrown as ParseFault; the caller adds file and line. Local.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/types.hpp"

namespace spmv {

/// `at` points to the fault, in the parsed text.
struct ParseFault {
  const char* at;
  std::string what;
};

/// Throws a ParseFault with the message that fmt::format() makes of the other arguments.
template <class... Args>
[[noreturn]] void fault_at(const char* at, fmt::format_string<const Args&...> what, const Args&... args) {
  throw ParseFault{at, fmt::format(what, args...)};
}

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
inline bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}
inline bool ends_token(char c) {
  return is_blank(c) || is_line_end(c);
}
inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

/// The beginning of the next line. `end`: end of the text, after its last '\n'.
inline const char* skip_line(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

/// The token that begins at p; empty at the end of a line.
std::string_view token_at(const char* p);
/// Printable, in quotes, shortened: for messages.
std::string quoted(std::string_view text);

/// For everything but 1 to 18 digits: a sign, more leading zeros, or an error.
const char* parse_integer_slowly(const char* p, gidx& value, const char* what);

/// Parses a signed whole number. Returns the end of its token. `what`: name of the number, for messages.
inline const char* parse_integer(const char* p, gidx& value, const char* what) {
  const char* const begin = p;
  gidx sum = 0;
  for (; is_digit(*p); ++p) {
    if (p - begin == 18) return parse_integer_slowly(begin, value, what);
    sum = 10 * sum + (*p - '0');
  }
  if (p == begin || !ends_token(*p)) return parse_integer_slowly(begin, value, what);
  value = sum;
  return p;
}

/// For what std::from_chars does not accept (a leading '+', Fortran's exponent d), underflow, and errors.
template <class R>
const char* parse_real_slowly(const char* p, R& value);

/// Parses a finite decimal number and rounds it once to R; values that are too small become 0. Returns the end of its token.
template <class R>
inline const char* parse_real(const char* p, const char* end, R& value) {
  const auto [stop, status] = std::from_chars(p, end, value);
  if (status == std::errc() && ends_token(*stop) && std::isfinite(value)) return stop;
  return parse_real_slowly(p, value);
}

/// Whether a whole number exceeds 2^53: beyond it, double does not represent every whole number.
template <class Number>
bool beyond_exact(Number magnitude) {
  return magnitude > static_cast<Number>(gidx{1} << 53);
}

/// Parses a whole number and rounds it once to R. Returns the end of its token. Adds 1 to `beyond` if beyond_exact().
template <class R>
const char* parse_whole_slowly(const char* p, R& value, gidx& beyond);

template <class R>
inline const char* parse_whole(const char* p, R& value, gidx& beyond) {
  const char* q = p + (*p == '-');
  const char* const begin = q;
  gidx sum = 0;
  for (; is_digit(*q) && q - begin < 18; ++q) sum = 10 * sum + (*q - '0');
  if (q == begin || !ends_token(*q)) return parse_whole_slowly(p, value, beyond);
  value = static_cast<R>(*p == '-' ? -sum : sum);
  beyond += beyond_exact(sum);
  return q;
}

/// Skips the blanks before the next number of the line. `missing`: its name, for the error if there is none.
inline const char* skip_to_next(const char* p, const char* missing) {
  p = skip_blanks(p);
  if (is_line_end(*p)) fault_at(p - 1, "{} is missing", missing);
  return p;
}

/// Skips the rest of the line, which must be blank. Returns the beginning of the next line.
inline const char* finish_line(const char* p) {
  while (is_blank(*p) || *p == '\r') ++p;
  if (*p != '\n') fault_at(p, "the line goes on with {}; remove that", quoted(token_at(p)));
  return p + 1;
}

}  // namespace spmv
