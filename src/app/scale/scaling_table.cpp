#include "app/scale/scaling_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/report/aligned.hpp"
#include "app/report/hidden.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

std::string text(const Json& point, const char* name) {
  const auto found = point.find(name);
  return found != point.end() && found->is_string() ? printable(found->get<std::string>()) : std::string();
}

double number(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

/// Nonzeros per second and rank; 0 for a product too short to be timed.
double rate(const Json& point) {
  const double seconds = number(point, "median_s") * number(point, "ranks");
  return seconds > 0 ? std::max(1.0, number(point, "nonzeros")) / seconds : 0;
}

std::pair<std::string, std::string> group(const Json& point) {
  return {text(point, "format"), text(point, "partition")};
}

/// The best rate of every group on its fewest ranks.
std::map<std::pair<std::string, std::string>, double> base_rates(const std::vector<const Json*>& points) {
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> found;  // fewest ranks, best rate
  for (const Json* point : points) {
    const double ranks = number(*point, "ranks");
    const auto [at, first] = found.try_emplace(group(*point), ranks, rate(*point));
    auto& [fewest, best] = at->second;
    if (ranks < fewest)
      at->second = {ranks, rate(*point)};
    else if (ranks == fewest)
      best = std::max(best, rate(*point));
  }
  std::map<std::pair<std::string, std::string>, double> rates;
  for (const auto& [name, fewest_and_best] : found) rates[name] = fewest_and_best.second;
  return rates;
}

bool has_several(const std::vector<const Json*>& points, const char* name) {
  std::set<std::string> values;
  for (const Json* point : points) values.insert(text(*point, name));
  return values.size() > 1;
}

/// Seconds in `unit`, or a dash.
std::string in(double seconds, double unit) {
  return seconds > 0 ? fmt::format("{:.1f}", seconds / unit) : "-";
}

}  // namespace

std::string scaling_table(const std::vector<Json>& points) {
  std::vector<const Json*> measured_points;
  for (const Json& point : points)
    if (point.contains("measured")) measured_points.push_back(&point);
  std::stable_sort(measured_points.begin(), measured_points.end(), [](const Json* a, const Json* b) {
    return std::pair(group(*a), number(*a, "ranks")) < std::pair(group(*b), number(*b, "ranks"));
  });
  const auto base = base_rates(measured_points);
  std::vector<const char*> names = {"format"};
  for (const char* name : {"partition", "transport"})
    if (has_several(measured_points, name)) names.push_back(name);
  std::vector<std::vector<std::string>> lines(1);
  lines[0].assign(names.begin(), names.end());
  for (const char* name :
       {"mode", "ranks", "median us", "95 % interval", "GF/s", "GB/s", "hidden", "efficiency"})
    lines[0].emplace_back(name);
  constexpr double us = 1e-6;
  for (const Json* point : measured_points) {
    const Json& measured = (*point)["measured"];
    std::vector<std::string> line;
    line.reserve(lines[0].size());
    for (const char* name : names) line.push_back(text(*point, name));
    line.push_back(text(*point, "mode"));
    line.push_back(fmt::format("{:.0f}", number(*point, "ranks")));
    line.push_back(in(number(*point, "median_s"), us));
    const double low = number(measured, "median_low_s"), high = number(measured, "median_high_s");
    line.push_back(low > 0 ? in(low, us) + " to " + in(high, us) : "-");
    line.push_back(fmt::format("{:.2f}", number(measured, "gflops")));
    line.push_back(fmt::format("{:.1f}", number(measured, "effective_gbytes_per_s")));
    const auto hidden = hidden_share(point->value("partition_stats", Json()), measured);
    line.push_back(hidden ? fmt::format("{:.0f} %", *hidden * 100) : "-");
    const double best = base.at(group(*point));
    line.push_back(best > 0 ? fmt::format("{:.0f} %", rate(*point) / best * 100) : "-");
    lines.push_back(line);
  }
  std::string table = aligned(lines, names.size() + 1);
  for (const Json& point : points)
    if (point.contains("left_out"))
      table += fmt::format("left out: {} over {}, {}, {}, {:.0f} ranks: {}\n", text(point, "mode"),
                           text(point, "transport"), text(point, "format"), text(point, "partition"),
                           number(point, "ranks"), text(point, "left_out"));
  return table +
         "efficiency: nonzeros per time and rank, against the fastest mode of the format on the fewest ranks\n";
}

}  // namespace spmv
