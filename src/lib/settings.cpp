#include "lib/settings.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spmv::lib {
namespace {

/// "mode=task", or that it is not named.
std::string shown(const Named& named, const std::string& name) {
  const auto found = named.find(name);
  return found == named.end() ? "nothing" : "'" + found->second + "'";
}

/// A text without room for misunderstanding, for comparing.
std::string flat(const Named& named) {
  std::string text;
  for (const auto& [name, value] : named) text.append(name).append("\n").append(value).append("\n");
  return text;
}

Named unflat(const std::string& text) {
  Named named;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name_end = text.find('\n', at), value_end = text.find('\n', name_end + 1);
    named[text.substr(at, name_end - at)] = text.substr(name_end + 1, value_end - name_end - 1);
    at = value_end + 1;
  }
  return named;
}

}  // namespace

void require_same(const Communicator& communicator, const Named& named) {
  const Named first = unflat(communicator.broadcast(flat(named)));
  communicator.together([&] {
    Named all = first;
    all.insert(named.begin(), named.end());
    for (const auto& [name, value] : all)
      if (shown(first, name) != shown(named, name))
        throw Error(
            ExitCode::usage,
            fmt::format("option {} is {} on rank 0 and {} on rank {}: give all ranks the same options", name,
                        shown(first, name), shown(named, name), communicator.rank()));
  });
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
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != '\0' || !(number >= least && number <= most))
    throw Error(ExitCode::usage,
                fmt::format("option {}={} must be a number from {:g} to {:g}", name, value, least, most));
  return number;
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
