#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/fields.hpp"
#include "app/report/report.hpp"
#include "app/report/report_parts.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// The fields of the run, or, given one, of a mode.
Json object_of(const RunReport& run, const ModeResult* mode) {
  Json json = Json::object();
  for (const Field& field : fields()) {
    const bool wanted = mode == nullptr ? bool(field.of_run) : bool(field.of_mode);
    if (wanted) put(json, field, mode == nullptr ? field.of_run(run) : field.of_mode(run, *mode));
  }
  return json;
}

/// A text that may hold anything. A spreadsheet takes a cell that begins with one of a few characters for a
/// formula: an apostrophe in front keeps it a text.
std::string quoted(const std::string& text) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::string result = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) result += '\'';
  for (const char c : printable(line)) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

/// The format of all ranks needs no quotes; a list of what ranks have does.
std::string cell(const Json& value, bool quotes) {
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  return quotes || text.find(',') != std::string::npos ? quoted(text) : text;
}

}  // namespace

std::string to_json(const RunReport& report) {
  Json json;
  for (const char* first : {"schema", "incomplete", "environment", "matrix", "setup"}) json[first] = nullptr;
  json.update(object_of(report, nullptr));
  json["modes"] = Json::array();
  for (const ModeResult& mode : report.modes) json["modes"].push_back(object_of(report, &mode));
  return with_section(text_of(json, 2), "pictures", pictures_json(report));
}

std::string to_csv(const RunReport& report) {
  std::vector<std::string> cells;
  for (const Field& field : fields())
    if (field.csv.name != nullptr) cells.emplace_back(field.csv.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const ModeResult& mode : report.modes) {
    cells.clear();
    for (const Field& field : fields())
      if (field.csv.name != nullptr)
        cells.push_back(
            cell(field.of_run ? field.of_run(report) : field.of_mode(report, mode), field.csv.quoted));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string to_trace(const RunReport& report) {
  const Json run = object_of(report, nullptr);
  Json other = run["environment"];
  other["incomplete"] = run["incomplete"];
  return text_of(Json{{"traceEvents", trace_events(report)}, {"otherData", other}}, 1);
}

}  // namespace spmv
