#include "lib/settings.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/number.hpp"

namespace spmv::lib {
void require_same_options(const Communicator& communicator, const Named& named, Given more) {
  for (const auto& [name, value] : named) more["option " + name] = value;
  require_same(communicator, more);
}

std::string Settings::text(const std::string& name, const std::string& otherwise) {
  read_.insert(name);
  const auto found = named_.find(name);
  return found == named_.end() ? otherwise : found->second;
}

std::string Settings::word(const std::string& name, const std::string& otherwise,
                           const std::vector<std::string>& words) {
  std::string value = text(name, otherwise);
  if (std::find(words.begin(), words.end(), value) == words.end())
    throw Error(ExitCode::usage,
                fmt::format("option {}={} is unknown; known are: {}", name, value, fmt::join(words, ", ")));
  return value;
}

double Settings::number(const std::string& name, double otherwise, double least, double most) {
  const std::string value = text(name, "");
  if (value.empty()) return otherwise;
  const auto number = number_in<double>(value);
  if (!number || !(*number >= least && *number <= most))
    throw Error(ExitCode::usage,
                fmt::format("option {}={} must be a number from {:g} to {:g}", name, value, least, most));
  return *number;
}

int Settings::integer(const std::string& name, int otherwise, int least, int most) {
  const double value = number(name, otherwise, least, most);
  if (value != static_cast<int>(value))
    throw Error(ExitCode::usage, fmt::format("option {}={} must be a whole number", name, value));
  return static_cast<int>(value);
}

void Settings::require_known() const {
  for (const auto& [name, value] : named_)
    if (!read_.contains(name))
      throw Error(ExitCode::usage,
                  fmt::format("unknown option {}={}; known are: {}", name, value, fmt::join(read_, ", ")));
}

}  // namespace spmv::lib
