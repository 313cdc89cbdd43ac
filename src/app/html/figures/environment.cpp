#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

constexpr std::size_t most_values = 64;

/// A value of any shape as HTML.
std::string shown(const Json& value, int depth = 0) {
  constexpr int deepest = 4;
  if (value.is_string()) return "<pre>" + escape(value.get<std::string>()) + "</pre>";
  if (value.is_null()) return "–";
  if (!value.is_structured()) return escape(value.dump());
  if (depth >= deepest) return "...";
  std::string items;
  std::size_t left = value.size();
  for (const auto& [key, one] : value.items()) {
    if (value.size() - left >= most_values) break;
    --left;
    items +=
        "<li>" + (value.is_object() ? escape(key) + ": " : std::string()) + shown(one, depth + 1) + "</li>";
  }
  if (left > 0) items += "<li>and " + count(static_cast<double>(left)) + " more</li>";
  return "<ul>" + items + "</ul>";
}

}  // namespace

Drawing draw_environment(const Json& run) {
  const Json& environment = member(run, "environment");
  std::string items;
  const auto add = [&](const std::string& name, const Json& value) {
    if (!value.is_null()) items += "<dt>" + escape(name) + "</dt><dd>" + shown(value) + "</dd>\n";
  };
  for (const auto& [key, value] : environment.items()) add(key, value);
  const Json& format = member(run, "format");
  add("format", member(format, "interior"));
  add("partitioner", member(member(run, "partition"), "partitioner"));
  add("reason", member(member(run, "partition"), "reason"));
  add("transport", member(run, "transport"));
  add("reason", member(member(run, "transport_choice"), "reason"));
  std::string says = fmt::format(
      "Measured {} on {}",
      text(environment, "date").empty() ? "at an unknown time" : "on " + text(environment, "date"),
      plural(ranks_of(run), "rank"));
  if (const double nodes = number_or_0(environment, "nodes"); nodes > 0)
    says += " of " + plural(nodes, "node");
  if (!text(environment, "backend").empty()) says += ", backend " + text(environment, "backend");
  const Json& places = member(environment, "places");
  if (places.is_array() && !places.empty() && places[0].is_string())
    says += "; rank 0: " + places[0].get<std::string>();
  return {"<details><summary>Everything</summary><dl>" + items + "</dl></details>\n", says + "."};
}

}  // namespace spmv::html
