#include "app/report/report_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/printable.hpp"

namespace spmv {
namespace {

Json options_json(const FormatOptions& options) {
  Json json = Json::object();
  for (const OptionField& field : option_fields()) json[field.name] = field.get(options);
  return json;
}

Json trials_json(const std::vector<FormatTrial>& trials) {
  Json json = Json::array();
  for (const FormatTrial& trial : trials)
    json.push_back({{"format", trial.format},
                    {"options", options_json(trial.options)},
                    {"moved_bytes", trial.cost.moved_bytes},
                    {"bytes", trial.cost.bytes},
                    {"predicted_s", trial.predicted.seconds},
                    {"measured_s", trial.measured_s},
                    {"build_s", trial.build_s},
                    {"not_measured_because", trial.reason}});
  return json;
}

void make_valid(Json& json) {
  if (json.is_string()) json = valid_utf8(json.get_ref<const std::string&>());
  if (json.is_structured())
    for (Json& part : json) make_valid(part);
}

}  // namespace

Json decision_json(const Decision& d) {
  return {{"format", d.format},         {"options", options_json(d.options)}, {"reason", d.reason},
          {"remembered", d.remembered}, {"measured_s", d.measured_s},         {"budget_s", d.budget_s},
          {"spent_s", d.spent_s},       {"trials", trials_json(d.trials)}};
}

std::string text_of(Json json, int indent) {
  make_valid(json);
  return json.dump(indent) + "\n";
}

std::string with_section(std::string object, const std::string& name, const Json& section) {
  object.erase(object.rfind('}'));
  object.erase(object.find_last_not_of(" \n") + 1);
  return object + ",\n  " + Json(name).dump() + ": " + section.dump() + "\n}\n";
}

Json matrix_json(const MatrixFacts& m) {
  return {{"name", m.matrix},     {"description", m.description}, {"rows", m.shape.rows},
          {"cols", m.shape.cols}, {"nonzeros", m.nonzeros},       {"value", m.value}};
}

std::string matrix_lines(const MatrixFacts& m) {
  std::string text = fmt::format("matrix       {}: {} x {}, {} nonzeros, {}\n", printable(m.matrix),
                                 m.shape.rows, m.shape.cols, m.nonzeros, m.value);
  if (!m.description.empty()) text += fmt::format("             {}\n", m.description);
  return text;
}

Spread spread(const std::vector<PartShare>& shares, gidx PartShare::*number) {
  Spread s;
  for (const PartShare& share : shares) {
    s.most = std::max(s.most, share.*number);
    s.sum += share.*number;
  }
  return s;
}

double balance(const std::vector<PartShare>& shares) {
  const Spread nonzeros = spread(shares, &PartShare::nonzeros);
  return nonzeros.sum > 0 ? static_cast<double>(nonzeros.most) * static_cast<double>(shares.size()) /
                                static_cast<double>(nonzeros.sum)
                          : 1;
}

Json shares_json(const std::vector<PartShare>& shares) {
  Json json = Json::array();
  for (const PartShare& s : shares)
    json.push_back({{"rows", s.rows},
                    {"nonzeros", s.nonzeros},
                    {"halo", s.halo},
                    {"neighbours", s.neighbours},
                    {"near_halo", s.near_halo},
                    {"near_neighbours", s.near_neighbours},
                    {"sent", s.sent}});
  return json;
}

}  // namespace spmv
