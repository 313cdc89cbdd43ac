// Numbers and blanks of one line. The text must end with '\n', which ends every token, so nothing here looks
// for another bound. What is wrong is thrown as ParseFault; whoever knows the file adds its name and line.
// Local.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace spmv {

/// `at` points into the text that was parsed, inside the offending line.
struct ParseFault {
  const char* at;
  std::string what;
};

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

/// `end` is where the text ends, just behind its last '\n'.
inline const char* skip_line(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

/// The token that begins at p; empty at the end of a line.
std::string_view token_at(const char* p);
/// Printable, in quotes, shortened: for messages.
std::string quoted(std::string_view text);

/// Any spelling that is not a row of 1 to 18 digits: a sign, leading zeros, or an error.
const char* parse_integer_slowly(const char* p, gidx& value, const char* what);

/// A signed whole number; returns the end of its token. `what` names the number in messages.
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

/// Spellings that std::from_chars does not take (a leading '+', Fortran's d exponent), underflow, and errors.
template <class R>
const char* parse_real_slowly(const char* p, R& value);

/// A finite decimal number, rounded once to R, too small ones to 0; returns the end of its token.
template <class R>
inline const char* parse_real(const char* p, const char* end, R& value) {
  const auto [stop, status] = std::from_chars(p, end, value);
  if (status == std::errc() && ends_token(*stop) && std::isfinite(value)) return stop;
  return parse_real_slowly(p, value);
}

/// Whether a whole number is beyond 2^53: then not every one has a double of its own.
template <class Number>
bool beyond_exact(Number magnitude) {
  return magnitude > static_cast<Number>(gidx{1} << 53);
}

/// A whole number as a value of type R, rounded once where R is too narrow; returns the end of its token.
/// Adds 1 to `beyond` where beyond_exact().
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

/// The blanks between two numbers, of which there must be at least one; `missing` names what is absent
/// otherwise.
inline const char* skip_to_next(const char* p, const char* missing) {
  p = skip_blanks(p);
  if (is_line_end(*p)) throw ParseFault{p - 1, std::string(missing) + " is missing"};
  return p;
}

/// The rest of a line, which must be blank; returns the next line's begin.
inline const char* finish_line(const char* p) {
  while (is_blank(*p) || *p == '\r') ++p;
  if (*p != '\n') throw ParseFault{p, "the line goes on with " + quoted(token_at(p)) + "; remove that"};
  return p + 1;
}

}  // namespace spmv
