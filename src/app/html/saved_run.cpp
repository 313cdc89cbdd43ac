#include "app/html/saved_run.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

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

SavedRun parse_run(const std::string& text, const std::string& source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    refuse(source, fmt::format("is no JSON ({})", printable(error.what())));
  }
  const std::string lacks = missing(json);
  if (!lacks.empty()) refuse(source, "is no result of a run: it " + lacks);
  return {source, std::move(json)};
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
  if (!lines) return {parse_run(text, source)};
  std::vector<SavedRun> runs;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    runs.push_back(parse_run(line, fmt::format("{}, line {}", source, number)));
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
