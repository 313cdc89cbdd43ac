#include "io/parse.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace spmv {
namespace {

/// The parts of a decimal number. `text` is in the form that std::from_chars accepts.
struct Decimal {
  std::string text;
  bool whole = true;       // neither point nor exponent
  bool above_one = false;  // at least 1 in magnitude
};

const char* skip_digits(const char* p) {
  while (is_digit(*p)) ++p;
  return p;
}

/// Decimal exponent of the first digit that is not 0; for zero, an exponent below the range of every type.
std::int64_t leading_exponent(const char* digits, const char* digits_end) {
  const char* point = std::find(digits, digits_end, '.');
  const char* first = std::find_if(digits, digits_end, [](char c) { return c != '0' && c != '.'; });
  if (first == digits_end) return std::numeric_limits<std::int32_t>::min();
  return first < point ? point - first - 1 : point - first;
}

/// Parses [sign] digits [. digits] [e|d [sign] digits], with at least one digit before the exponent. Returns false for other
/// tokens.
bool take_apart(std::string_view token, Decimal& decimal) {
  const char* const begin = token.data();
  const char* const end = begin + token.size();
  const char* const digits = begin + (begin != end && (*begin == '+' || *begin == '-'));
  const char* p = skip_digits(digits);
  auto digit_count = p - digits;
  if (*p == '.') {
    decimal.whole = false;
    const char* fraction = p + 1;
    p = skip_digits(fraction);
    digit_count += p - fraction;
  }
  if (digit_count == 0) return false;
  const char* const digits_end = p;
  std::int64_t exponent = leading_exponent(digits, digits_end);
  decimal.text.assign(*begin == '-' ? begin : digits, digits_end);
  if (p != end && std::string_view("eEdD").find(*p) != std::string_view::npos) {
    decimal.whole = false;
    const bool negative = p[1] == '-';
    const char* const power = p + 1 + (p[1] == '+' || p[1] == '-');
    p = skip_digits(power);
    if (p == power) return false;
    std::int64_t shift = 0;
    constexpr std::int64_t enough = std::numeric_limits<std::int64_t>::max() / 100;
    for (const char* q = power; q != p; ++q) shift = std::min(enough, 10 * shift + (*q - '0'));
    exponent += negative ? -shift : shift;
    decimal.text.append("e").append(negative ? "-" : "").append(power, p);
  }
  decimal.above_one = exponent >= 0;
  return p == end;
}

/// Throws for nan and infinity, which std::from_chars would accept.
void refuse_nan_and_infinity(std::string_view token) {
  std::string lower(token.substr(0, 4));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (lower.starts_with('+') || lower.starts_with('-')) lower.erase(0, 1);
  if (!lower.starts_with("nan") && !lower.starts_with("inf")) return;
  fault_at(token.data(), "the value is {}, and a number is wanted", quoted(token));
}

template <class R>
void convert(const Decimal& decimal, const char* at, std::string_view token, R& value) {
  const auto [stop, status] =
      std::from_chars(decimal.text.data(), decimal.text.data() + decimal.text.size(), value);
  if (status == std::errc() && std::isfinite(value)) return;
  if (decimal.above_one)
    fault_at(at, "the value {} does not fit in a {}", quoted(token),
             sizeof(R) == sizeof(float) ? "float; take a double" : "double");
  value = decimal.text.front() == '-' ? -R(0) : R(0);
}

}  // namespace

std::string_view token_at(const char* p) {
  const char* end = p;
  while (!ends_token(*end)) ++end;
  return {p, static_cast<std::size_t>(end - p)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const bool printable = c >= ' ' && c <= '~';
    out += printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  out += text.size() > longest ? "...'" : "'";
  return out;
}

const char* parse_integer_slowly(const char* p, gidx& value, const char* what) {
  const std::string_view token = token_at(p);
  const char* const begin = p + (*p == '+' && is_digit(p[1]));
  const char* const end = p + token.size();
  const auto [stop, status] = std::from_chars(begin, end, value);
  if (status == std::errc::result_out_of_range && stop == end)
    fault_at(p, "{} {} is beyond 64 bits", what, quoted(token));
  if (status != std::errc() || stop != end)
    fault_at(p, "{} is {}, which is not a whole number", what, quoted(token));
  return end;
}

template <class R>
const char* parse_real_slowly(const char* p, R& value) {
  const std::string_view token = token_at(p);
  Decimal decimal;
  refuse_nan_and_infinity(token);
  if (!take_apart(token, decimal))
    fault_at(p, "the value is {}, which is not a decimal number", quoted(token));
  convert(decimal, p, token, value);
  return p + token.size();
}

template <class R>
const char* parse_whole_slowly(const char* p, R& value, gidx& beyond) {
  const std::string_view token = token_at(p);
  Decimal decimal;
  refuse_nan_and_infinity(token);
  const bool number = take_apart(token, decimal);
  if (!number || !decimal.whole)
    fault_at(p, "the value is {}, which is not a whole number{}", quoted(token),
             number ? "; declare the field as real" : "");
  convert(decimal, p, token, value);
  beyond += beyond_exact(std::abs(value));
  return p + token.size();
}

template const char* parse_real_slowly(const char*, float&);
template const char* parse_real_slowly(const char*, double&);
template const char* parse_whole_slowly(const char*, float&, gidx&);
template const char* parse_whole_slowly(const char*, double&, gidx&);

}  // namespace spmv
