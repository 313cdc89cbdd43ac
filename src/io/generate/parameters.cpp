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
  require_parameter(status != std::errc::result_out_of_range, fmt::format("'{}' is out of range", word));
  require_parameter(status == std::errc() && stop == end, fmt::format("'{}' is not a {}", word, kind));
  require_parameter(std::isfinite(static_cast<double>(number)), fmt::format("'{}' is not finite", word));
  return number;
}

template <class Number>
std::vector<Number> parse(const std::string& text, std::size_t count, const char* kind,
                          const std::vector<Option>& options) {
  std::vector<Number> numbers;
  std::set<std::string_view> seen;
  for (const std::string_view word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      require_parameter(numbers.size() < count && seen.empty(),
                        fmt::format("'{}' is one parameter too many", word));
      numbers.push_back(parse_number<Number>(word, kind));
      require_parameter(numbers.back() >= 0, fmt::format("{} is negative", word));
      continue;
    }
    const std::string_view name = word.substr(0, equals);
    const Option& option = pick(options, name, "option");
    require_parameter(seen.insert(name).second, fmt::format("'{}' is given twice", name));
    *option.value = parse_number<double>(word.substr(equals + 1), "number");
  }
  require_parameter(numbers.size() == count,
                    fmt::format("{} numbers are needed, {} are given", count, numbers.size()));
  return numbers;
}

}  // namespace

std::vector<gidx> parse_parameters(const std::string& text, std::size_t count,
                                   const std::vector<Option>& options) {
  return parse<gidx>(text, count, "whole number", options);
}

std::vector<double> parse_real_parameters(const std::string& text, std::size_t count,
                                          const std::vector<Option>& options) {
  return parse<double>(text, count, "number", options);
}

void require_parameter(bool holds, const std::string& problem) {
  if (!holds) throw Error(ExitCode::usage, problem);
}

gidx whole_number(double number, const char* what, gidx least, gidx most) {
  const bool in_range = number >= static_cast<double>(least) && number <= static_cast<double>(most);
  require_parameter(in_range && number == std::floor(number),
                    fmt::format("{} = {}; it is a whole number from {} to {}", what, number, least, most));
  return static_cast<gidx>(number);
}

std::uint64_t seed_bits(double seed) {
  constexpr gidx most = 1'000'000'000'000'000;  // a double is exact for whole numbers up to here
  return mixed(static_cast<std::uint64_t>(whole_number(seed, "seed", 0, most)));
}

double parse_scale(const std::string& text) {
  constexpr double most = 100;
  const double scale = text.empty() ? 1 : parse_real_parameters(text, 1, {})[0];
  require_parameter(scale > 0 && scale <= most,
                    fmt::format("SCALE = {}; it is above 0 and at most {}", scale, most));
  return scale;
}

gidx checked_product(gidx a, gidx b) {
  if (b != 0 && a > std::numeric_limits<gidx>::max() / b) {
    throw Error(ExitCode::usage, "the matrix is too large for 64-bit ids");
  }
  return a * b;
}

}  // namespace spmv
