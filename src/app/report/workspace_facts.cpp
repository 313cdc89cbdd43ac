#include "app/report/workspace_facts.hpp"

#include <fmt/format.h>

#include "app/report/wrap.hpp"

namespace spmv {
namespace {

Json trial_json(const LayoutTrial& trial) {
  Json json = {{"mode", trial.mode}, {"layout", trial.layout}};
  if (trial.left_out.empty())
    json["product_s"] = trial.product_s;
  else
    json["left_out"] = trial.left_out;
  return json;
}

}  // namespace

const LayoutTrial* fastest(const std::vector<LayoutTrial>& trials) {
  const LayoutTrial* best = nullptr;
  for (const LayoutTrial& trial : trials)
    if (trial.left_out.empty() && (best == nullptr || trial.product_s < best->product_s)) best = &trial;
  return best;
}

Json head_json(const SystemFacts& facts) {
  return {{"schema", results_schema}, {"incomplete", facts.incomplete}, {"matrix", matrix_json(facts)},
          {"ranks", facts.ranks},     {"backend", facts.backend},       {"load_s", facts.load_s},
          {"setup_s", facts.setup_s}};
}

std::string head_lines(const SystemFacts& facts) {
  return matrix_lines(facts) +
         fmt::format("{} rank{}, backend {}", facts.ranks, facts.ranks == 1 ? "" : "s", facts.backend);
}

std::string incomplete_line(const SystemFacts& facts) {
  return facts.incomplete.empty() ? "" : wrapped("", fmt::format("INCOMPLETE: {}.", facts.incomplete));
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
  for (const LayoutTrial& trial : facts.layout_trials) json["layout_trials"].push_back(trial_json(trial));
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
