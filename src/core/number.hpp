// The one way from words to numbers: the caller's locale does not count.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace spmv {

/// A number, and the characters after it.
template <class Number>
struct NumberAndRest {
  Number number;
  std::string_view rest;
};

/// The number that `text` begins with: digits with a decimal point, whatever the locale is, such as 2.5e3, -1 or +7.
/// nullopt where it begins with none, or with one that Number cannot hold. Pure.
template <class Number>
std::optional<NumberAndRest<Number>> leading_number(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* const end = text.data() + text.size();
  Number number{};
  const auto [stop, status] = std::from_chars(text.data() + plus, end, number);
  if (status != std::errc()) return std::nullopt;
  return NumberAndRest<Number>{number, {stop, static_cast<std::size_t>(end - stop)}};
}

/// The number that all of `word` is, likewise. Pure.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  const auto found = leading_number<Number>(word);
  return found && found->rest.empty() ? std::optional(found->number) : std::nullopt;
}

}  // namespace spmv
