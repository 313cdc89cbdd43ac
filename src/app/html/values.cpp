#include "app/html/values.hpp"

#include <cmath>

namespace spmv::html {

const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::optional<double> number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double found = value.get<double>();
  // Sums, products and ratios of two of them are numbers, too.
  constexpr double smallest = 1e-30, largest = 1e30;
  const double size = std::abs(found);
  return found == 0 || (size >= smallest && size <= largest) ? std::optional(found) : std::nullopt;
}

std::optional<double> number(const Json& object, const char* key) {
  return number(member(object, key));
}

double number_or_0(const Json& object, const char* key) {
  return number(object, key).value_or(0);
}

std::string text(const Json& object, const char* key) {
  const Json& found = member(object, key);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::vector<double> numbers(const Json& list, std::size_t most) {
  std::vector<double> found;
  if (!list.is_array() || list.size() > most) return found;
  for (const Json& value : list) found.push_back(number(value).value_or(0));
  return found;
}

}  // namespace spmv::html
