#include "app/report/workspace_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/wrap.hpp"

namespace spmv {
namespace {

Json trial_json(const ProductTrial& trial) {
  Json json = {{"mode", trial.mode}, {"layout", trial.layout}};
  if (trial.left_out.empty())
    json["product_s"] = trial.product_s;
  else
    json["left_out"] = trial.left_out;
  return json;
}

std::string how_it_multiplies(const WorkspaceFacts& facts) {
  std::string text = fmt::format("format {}, layout {}", facts.format, facts.layout);
  if (!facts.sums_transport.empty()) text += fmt::format(", sums over {}", facts.sums_transport);
  if (facts.layout_trials.empty()) return text;
  const bool modes = std::any_of(facts.layout_trials.begin(), facts.layout_trials.end(),
                                 [&](const ProductTrial& trial) { return trial.mode != facts.mode; });
  return text + fmt::format("; the fastest of {} {} that were tried", facts.layout_trials.size(),
                            modes ? "modes and layouts" : "layouts");
}

}  // namespace

std::string end_lines(const RunHead& head, const std::vector<WorkspaceFacts>& all) {
  std::string text = "\n";
  std::vector<std::string> seen;
  for (const WorkspaceFacts& facts : all) {
    const std::string columns = columns_of(facts);
    if (!facts.refused.empty() || std::find(seen.begin(), seen.end(), columns) != seen.end()) continue;
    seen.push_back(columns);
    text += wrapped(columns + " ", how_it_multiplies(facts));
  }
  if (!head.incomplete.empty()) text += wrapped("", fmt::format("INCOMPLETE: {}.", head.incomplete));
  return text;
}

void add_facts(Json& json, const WorkspaceFacts& facts) {
  json["mode"] = facts.mode;
  json["transport"] = facts.transport;
  if (!facts.refused.empty()) {
    json["refused"] = facts.refused;
    return;
  }
  json["sums_transport"] = facts.sums_transport;
  json["layout"] = facts.layout;
  json["layout_trials"] = Json::array();
  for (const ProductTrial& trial : facts.layout_trials) json["layout_trials"].push_back(trial_json(trial));
  json["format"] = facts.format;
}

std::string columns_of(const WorkspaceFacts& facts) {
  return fmt::format("{:<7} {:<11}", facts.mode, facts.transport.empty() ? "-" : facts.transport);
}

std::string refused_line(const std::string& first_columns, const WorkspaceFacts& facts) {
  return wrapped(first_columns + " ", facts.refused);
}

std::string us_or_dash(double seconds, bool measured) {
  constexpr double us = 1e6;
  return !measured || seconds < 0 ? "-" : fmt::format("{:.2f}", seconds * us);
}

}  // namespace spmv
