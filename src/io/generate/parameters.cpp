#include "io/generate/parameters.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "io/generate/hash.hpp"

namespace spmv {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

template <class Number>
Number parse_number(std::string_view word, const char* kind) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, number);
  if (status == std::errc::result_out_of_range) {
    throw Error(ExitCode::usage, fmt::format("'{}' is out of range", word));
  }
  if (status != std::errc() || stop != end) {
    throw Error(ExitCode::usage, fmt::format("'{}' is not a {}", word, kind));
  }
  return number;
}

template <class Number>
std::vector<Number> parse(const std::string& text, std::size_t sizes, const char* kind,
                          const std::vector<Option>& options) {
  std::vector<Number> numbers;
  std::set<std::string_view> seen;
  for (const std::string_view word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      if (numbers.size() == sizes || !seen.empty()) {
        throw Error(ExitCode::usage, fmt::format("'{}' is one parameter too many", word));
      }
      numbers.push_back(parse_number<Number>(word, kind));
      if (numbers.back() < 0) throw Error(ExitCode::usage, fmt::format("{} is negative", word));
      if (!std::isfinite(static_cast<double>(numbers.back())))
        throw Error(ExitCode::usage, fmt::format("'{}' is not finite", word));
      continue;
    }
    const std::string_view name = word.substr(0, equals);
    const Option& option = pick(options, name, "option");
    if (!seen.insert(name).second) throw Error(ExitCode::usage, fmt::format("'{}' is given twice", name));
    *option.value = parse_number<double>(word.substr(equals + 1), "number");
    if (!std::isfinite(*option.value)) throw Error(ExitCode::usage, fmt::format("'{}' is not finite", word));
  }
  if (numbers.size() != sizes) {
    throw Error(ExitCode::usage, fmt::format("{} numbers are needed, {} are given", sizes, numbers.size()));
  }
  return numbers;
}

}  // namespace

std::vector<gidx> parse_parameters(const std::string& text, std::size_t sizes,
                                   const std::vector<Option>& options) {
  return parse<gidx>(text, sizes, "whole number", options);
}

std::vector<double> parse_real_parameters(const std::string& text, std::size_t count,
                                          const std::vector<Option>& options) {
  return parse<double>(text, count, "number", options);
}

gidx whole_number(double number, const char* what, gidx least, gidx most) {
  if (number != std::floor(number) || number < static_cast<double>(least) ||
      number > static_cast<double>(most)) {
    throw Error(ExitCode::usage,
                fmt::format("{} = {}; a whole number from {} to {} is needed", what, number, least, most));
  }
  return static_cast<gidx>(number);
}

std::uint64_t seed_bits(double seed) {
  constexpr gidx most = 1'000'000'000'000'000;  // whole numbers up to here are exact in double
  return mixed(static_cast<std::uint64_t>(whole_number(seed, "seed", 0, most)));
}

double parse_scale(const std::string& text) {
  constexpr double most = 100;
  const double scale = text.empty() ? 1 : parse_real_parameters(text, 1, {})[0];
  if (scale <= 0 || scale > most)
    throw Error(ExitCode::usage, fmt::format("SCALE = {}; it is above 0 and at most {}", scale, most));
  return scale;
}

gidx checked_product(gidx a, gidx b) {
  if (b != 0 && a > std::numeric_limits<gidx>::max() / b) {
    throw Error(ExitCode::usage, "the matrix is too large to number with 64 bits");
  }
  return a * b;
}

}  // namespace spmv
