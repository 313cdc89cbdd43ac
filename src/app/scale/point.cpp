#include "app/scale/point.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/number.hpp"

namespace spmv {
namespace {

using Member = std::string Point::*;

constexpr std::pair<const char*, Member> texts[] = {
    {"matrix", &Point::matrix},       {"partition", &Point::partition}, {"format", &Point::format},
    {"transport", &Point::transport}, {"mode", &Point::mode},           {"options", &Point::options},
    {"commit", &Point::commit},       {"grows_as", &Point::grows_as}};

bool may_lack(Member member) {
  return member == &Point::transport || member == &Point::grows_as;
}

std::vector<std::string> different(const std::vector<Point>& points, Member member) {
  std::vector<std::string> found;
  for (const Point& point : points)
    if (std::find(found.begin(), found.end(), point.*member) == found.end()) found.push_back(point.*member);
  return found;
}

/// The entry of the run's modes that was measured for the point.
const Json* measured(const Point& point, const Json& run) {
  for (const Json& mode : run.at("modes")) {
    const bool chosen = mode.at("transport_chosen") == true;
    const std::string asked = chosen ? std::string(auto_transport) : mode.at("transport").get<std::string>();
    if (mode.at("mode") == point.mode && asked == point.transport) return &mode;
  }
  return nullptr;
}

/// Why the run has nothing for the point, where it says so.
std::string why_left_out(const Point& point, const Json& run) {
  for (const Json& left : run.at("left_out")) {
    const std::string mode = left.value("mode", ""), transport = left.value("transport", "");
    if ((mode.empty() || mode == point.mode) && (transport.empty() || transport == point.transport))
      return left.value("reason", "");
  }
  return "the run has no result for it, and no reason";
}

}  // namespace

std::vector<std::string> PlannedRun::modes() const {
  return different(points, &Point::mode);
}

std::vector<std::string> PlannedRun::transports() const {
  return different(points, &Point::transport);
}

Point point_of(const Json& line, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::input, fmt::format("{}: no point of a study: {}: remove the line", where, what));
  };
  if (!line.is_object()) refuse("not a JSON object");
  Point point;
  for (const auto& [name, member] : texts) {
    const auto found = line.find(name);
    if (found != line.end() && found->is_string())
      point.*member = found->get<std::string>();
    else if (!may_lack(member))
      refuse(fmt::format("it has no {}", name));
  }
  const auto ranks = line.find("ranks");
  if (ranks == line.end() || !ranks->is_number_integer() || ranks->get<std::int64_t>() < 1)
    refuse("its ranks are no number");
  point.ranks = static_cast<int>(ranks->get<std::int64_t>());
  const auto median = line.find("median_s");
  const bool has_time = median != line.end() && median->is_number() && median->get<double>() >= 0;
  const bool was_measured = has_time && line.contains("measured") && line["measured"].is_object();
  const bool left_out = line.contains("left_out") && line["left_out"].is_string();
  if (!was_measured && !left_out) refuse("it was neither measured nor left out");
  return point;
}

Json point_line(const Point& point, const Json& run, const Json& surroundings) {
  Json line;
  for (const auto& [name, member] : texts)
    if (member != &Point::grows_as || !point.grows_as.empty()) line[name] = point.*member;
  line["ranks"] = point.ranks;
  const Json* const mode = measured(point, run);
  if (mode == nullptr)
    line["left_out"] = why_left_out(point, run);
  else
    line["median_s"] = mode->at("median_s");
  for (const char* name : {"rows", "nonzeros", "value"}) line[name] = run.at("matrix").at(name);
  if (mode != nullptr) line["measured"] = *mode;
  for (const auto& [name, of_run] :
       {std::pair("storage", "format"), std::pair("partition_stats", "partition"),
        std::pair("tuning", "tuning"), std::pair("vectors", "vectors"), std::pair("order", "order"),
        std::pair("model", "model"), std::pair("transport_choice", "transport_choice")})
    if (run.contains(of_run)) line[name] = run.at(of_run);
  line["environment"] = run.at("environment");
  line["environment"].update(surroundings);
  for (const char* name : {"setup", "bandwidth"})
    if (run.contains(name)) line["environment"][name] = run.at(name);
  return line;
}

std::string with_ranks(const std::string& text, int ranks) {
  constexpr std::string_view word = "ranks}", times_word = "*ranks}";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    if (end != std::string::npos) {
      const std::string_view inside = std::string_view(text).substr(at + 1, end - at);
      const auto factor = leading_number<long long>(inside);
      if (inside == word || (factor && factor->rest == times_word)) {
        result += std::to_string((factor ? factor->number : 1) * ranks);
        at = end + 1;
        continue;
      }
    }
    result += text[at++];
  }
  return result;
}

}  // namespace spmv
