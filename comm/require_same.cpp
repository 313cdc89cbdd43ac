#include "comm/require_same.hpp"

#include <fmt/format.h>

#include "core/number.hpp"

namespace spmv {
namespace {

std::string shown(const Given& given, const std::string& name) {
  const auto found = given.find(name);
  return found == given.end() ? "nothing" : "'" + found->second + "'";
}

/// Every text with its length in front, so that it may hold any character.
std::string flat(const Given& given) {
  std::string text;
  for (const auto& [name, value] : given)
    text += fmt::format("{} {}{} {}", name.size(), name, value.size(), value);
  return text;
}

/// Takes one such text away.
std::string take(std::string_view& text) {
  const auto length = leading_number<std::size_t>(text).value();
  std::string taken(length.rest.substr(1, length.number));
  text = length.rest.substr(1 + length.number);
  return taken;
}

Given unflat(std::string_view text) {
  Given given;
  while (!text.empty()) {
    const std::string name = take(text);
    given[name] = take(text);
  }
  return given;
}

}  // namespace

void require_same(const Communicator& communicator, const Given& given) {
  const Given first = unflat(communicator.broadcast(flat(given)));
  communicator.together([&] {
    Given all = first;
    all.insert(given.begin(), given.end());
    for (const auto& [name, value] : all)
      if (shown(first, name) != shown(given, name))
        throw Error(ExitCode::usage,
                    fmt::format("{} is {} on rank 0 and {} on rank {}: give all ranks the same", name,
                                shown(first, name), shown(given, name), communicator.rank()));
  });
}

}  // namespace spmv
