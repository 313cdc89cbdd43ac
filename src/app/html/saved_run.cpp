#include "app/html/saved_run.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "app/html/values.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"

namespace spmv::html {
namespace {

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw Error(ExitCode::input,
              fmt::format("{}: {}: give files that spmv_dist --json has written, or .jsonl files of "
                          "them with one run a line",
                          printable(source), why));
}

/// What the object lacks to be a run; empty: nothing.
std::string missing(const Json& json) {
  if (!json.is_object()) return "is no JSON object";
  if (!member(json, "environment").is_object() || number_or_0(member(json, "environment"), "ranks") < 1)
    return "has no number of ranks in `environment`";
  if (!member(json, "matrix").is_object() || !member(member(json, "matrix"), "name").is_string())
    return "has no `matrix` with a name";
  if (!member(json, "modes").is_array()) return "has no list of `modes`";
  for (const Json& mode : member(json, "modes"))
    if (!mode.is_object()) return "has something else than objects in `modes`";
  return {};
}

/// Whether this is a point of a scaling study, which has one mode of a run: measured, or left out with the reason.
bool is_point(const Json& json) {
  return member(json, "matrix").is_string() &&
         (member(json, "measured").is_object() || member(json, "left_out").is_string());
}

/// The run of a point, with that mode alone.
Json run_of(const Json& point) {
  Json run = Json::object();
  Json& matrix = run["matrix"] = {{"name", text(point, "matrix")}};
  for (const char* of_matrix : {"rows", "cols", "nonzeros", "value"})
    if (!member(point, of_matrix).is_null()) matrix[of_matrix] = member(point, of_matrix);
  if (!text(point, "grows_as").empty()) run["grows_as"] = text(point, "grows_as");
  run["environment"] = member(point, "environment");
  if (run["environment"].is_object() && !run["environment"].contains("ranks"))
    run["environment"]["ranks"] = member(point, "ranks");
  run["bandwidth"] = member(run["environment"], "bandwidth");
  for (const auto& [of_run, of_point] :
       {std::pair("format", "storage"), std::pair("partition", "partition_stats"),
        std::pair("model", "model"), std::pair("transport_choice", "transport_choice"),
        std::pair("pictures", "pictures")})
    run[of_run] = member(point, of_point);
  run["modes"] = Json::array();
  run["left_out"] = Json::array();
  if (member(point, "measured").is_object())
    run["modes"].push_back(member(point, "measured"));
  else
    run["left_out"].push_back({{"mode", text(point, "mode")},
                               {"transport", text(point, "transport")},
                               {"reason", text(point, "left_out")}});
  return run;
}

/// Whether the two are points of one run: then `run` gets the modes of `other`, too.
bool joined(Json& run, const Json& other) {
  for (const char* same : {"environment", "matrix", "grows_as", "format", "partition"})
    if (member(run, same) != member(other, same)) return false;
  for (const char* list : {"modes", "left_out"})
    for (const Json& one : member(other, list)) run[list].push_back(one);
  return true;
}

struct ParsedRun {
  SavedRun run;
  bool point = false;
};

ParsedRun parse_run(const std::string& text, const std::string& source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    refuse(source, fmt::format("is no JSON ({})", printable(error.what())));
  }
  const bool point = is_point(json);
  if (point) json = run_of(json);
  const std::string lacks = missing(json);
  if (!lacks.empty()) refuse(source, "is no result of a run: it " + lacks);
  return {{source, std::move(json)}, point};
}

std::string read_file(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) refuse(path, "is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) refuse(path, "cannot be read to its end");
  return text;
}

}  // namespace

std::vector<SavedRun> parse_runs(const std::string& text, const std::string& source, bool lines) {
  if (!lines) return {parse_run(text, source).run};
  std::vector<SavedRun> runs;
  std::istringstream in(text);
  int number = 0;
  bool last_is_point = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    ParsedRun parsed = parse_run(line, fmt::format("{}, line {}", source, number));
    if (parsed.point && last_is_point && joined(runs.back().json, parsed.run.json)) continue;
    last_is_point = parsed.point;
    runs.push_back(std::move(parsed.run));
  }
  if (runs.empty()) refuse(source, "holds no run");
  return runs;
}

std::vector<SavedRun> read_runs(const std::vector<std::string>& files) {
  std::vector<SavedRun> runs;
  for (const std::string& file : files)
    for (SavedRun& run : parse_runs(read_file(file), file, file.ends_with(".jsonl")))
      runs.push_back(std::move(run));
  return runs;
}

}  // namespace spmv::html
