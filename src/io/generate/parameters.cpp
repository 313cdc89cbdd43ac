#include "io/generate/parameters.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "core/pick.hpp"
#include "io/generate/hash.hpp"

namespace spmv {
namespace {

constexpr gidx largest_exact = 1'000'000'000'000'000;  // double is exact for whole numbers up to here

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

double parse_number(std::string_view word) {
  double number{};
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, number);
  require_parameter(status == std::errc() && stop == end && std::isfinite(number),
                    "'{}' is not a finite number", word);
  return number;
}

}  // namespace

std::vector<double> parse_real_parameters(const std::string& text, std::size_t count,
                                          const std::vector<Option>& options) {
  std::vector<double> numbers;
  std::set<std::string_view> seen;
  for (const std::string_view word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      require_parameter(numbers.size() < count && seen.empty(), "'{}' is one parameter too many", word);
      numbers.push_back(parse_number(word));
      require_parameter(numbers.back() >= 0, "{} is negative", word);
      continue;
    }
    const std::string_view name = word.substr(0, equals);
    const Option& option = pick(options, name, "option");
    require_parameter(seen.insert(name).second, "'{}' is given twice", name);
    *option.value = parse_number(word.substr(equals + 1));
  }
  require_parameter(numbers.size() == count, "{} numbers are needed, {} are given", count, numbers.size());
  return numbers;
}

std::vector<gidx> parse_parameters(const std::string& text, std::size_t count,
                                   const std::vector<Option>& options) {
  std::vector<gidx> numbers;
  for (const double number : parse_real_parameters(text, count, options))
    numbers.push_back(whole_number(number, "a parameter", 0, largest_exact));
  return numbers;
}

gidx whole_number(double number, const char* what, gidx least, gidx most) {
  const bool in_range = number >= static_cast<double>(least) && number <= static_cast<double>(most);
  require_parameter(in_range && number == std::floor(number),
                    "{} = {}; it must be a whole number from {} to {}", what, number, least, most);
  return static_cast<gidx>(number);
}

std::uint64_t seed_bits(double seed) {
  return mixed(static_cast<std::uint64_t>(whole_number(seed, "seed", 0, largest_exact)));
}

double parse_scale(const std::string& text) {
  constexpr double most = 100;
  const double scale = text.empty() ? 1 : parse_real_parameters(text, 1, {})[0];
  require_parameter(scale > 0 && scale <= most, "SCALE = {}; it is above 0 and at most {}", scale, most);
  return scale;
}

gidx checked_product(gidx a, gidx b) {
  require_parameter(b == 0 || a <= std::numeric_limits<gidx>::max() / b,
                    "the matrix is too large for 64-bit ids");
  return a * b;
}

}  // namespace spmv
