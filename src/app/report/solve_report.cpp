#include "app/report/solve_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/fields.hpp"
#include "app/report/time_unit.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

/// What became of several columns.
std::string columns_in_words(const SolveOutlook& o) {
  int least = o.columns.front().iterations, most = 0;
  std::size_t solved = 0;
  for (const SolveResult& each : o.columns) {
    least = std::min(least, each.iterations);
    most = std::max(most, each.iterations);
    if (each.stop == Stop::converged) ++solved;
  }
  return fmt::format("{} of {} columns solved, in {} to {} iterations; the residual is the largest", solved,
                     o.columns.size(), least, most);
}

/// What became of a solver, in its line of the first table.
std::string row(const SolveOutlook& o, const TimeUnit& unit) {
  const std::string name = fmt::format("{:<12} {}", o.solver, columns_of(o));
  if (!o.refused.empty()) return refused_line(name, o);
  const SolveResult& r = o.result;
  std::string text = fmt::format(
      "{} {:>10} {:>6} {:>8.1e} {:>8}  {}\n", name, unit.or_dash(o.an_iteration_s, o.an_iteration_s > 0),
      r.iterations, r.residual, o.error < 0 ? "-" : fmt::format("{:.1e}", o.error), to_string(r.stop));
  if (!r.reason.empty()) text += wrapped("    ", r.reason);
  if (o.columns.size() > 1) text += wrapped("    ", columns_in_words(o));
  if (!o.inner_format.empty())
    text += wrapped(
        "    ",
        fmt::format("iterations in single precision, {} updates of x and the residual in double", r.updates));
  if (r.left_out > 0)
    text += wrapped("    ", fmt::format("left out of b: its constant part, {:.1e} |b|", r.left_out));
  return text;
}

/// Where the time of an iteration goes, in a line of the second table.
std::string parts_row(const SolveOutlook& o, const TimeUnit& unit) {
  const bool parts = o.product_s > 0;
  const auto part = [&](double seconds) { return unit.or_dash(seconds, parts); };
  return fmt::format("{:<12} {:>6} {:>13} {:>7} {:>7} {:>6} {:>6} {:>6}  {}\n", o.solver,
                     unit.text(o.an_iteration_s),
                     fmt::format("{}-{}", unit.text(o.interval.low), unit.text(o.interval.high)),
                     part(o.product_s), part(o.vectors_s()), part(o.sums_s), part(o.bound_s()),
                     parts ? fmt::format("{:.3g}", o.bytes * 1e-6) : "-", parts ? o.limit() : "-");
}

/// A table of an iteration's parts for each mode over each transport.
std::string parts(const SolveReport& r, const TimeUnit& unit) {
  std::string text, last;
  for (const SolveOutlook& o : r.outlooks) {
    if (o.an_iteration_s == 0) continue;
    const std::string where = o.transport.empty() ? o.mode : fmt::format("{} over {}", o.mode, o.transport);
    if (text.empty() || where != last)
      text += fmt::format(
          "\nAn iteration in mode {}, in {}:\n{:<12} {:>6} {:>13} {:>7} {:>7} {:>6} {:>6} {:>6}  {}\n", where,
          unit.name(), "solver", "median", "95 % interval", "product", "vectors", "sums", "bound", "MB",
          "limit");
    last = where;
    text += parts_row(o, unit);
    if (o.preconditioner_parts.empty()) continue;
    std::string inside = fmt::format("M^-1 r takes {}", unit.text(o.preconditioner_s));
    for (const auto& [name, seconds] : o.preconditioner_parts)
      inside += fmt::format(", {} {}", name, unit.text(seconds));
    text += wrapped("    ", inside);
  }
  return text;
}

/// For all times of the report.
TimeUnit unit_for(const SolveReport& r) {
  double longest = 0;
  for (const SolveOutlook& o : r.outlooks)
    longest = std::max({longest, o.interval.high, o.product_s, o.sums_s});
  return TimeUnit(longest);
}

Json or_null(double value, bool measured) {
  return measured ? Json(value) : Json();
}

Json outlook_json(const SolveOutlook& o) {
  Json json = {{"solver", o.solver}};
  add_facts(json, o);
  if (!o.refused.empty()) return json;
  const SolveResult& r = o.result;
  json["stop"] = to_string(r.stop);
  json["reason"] = r.reason;
  json["iterations"] = r.iterations;
  json["restarts"] = r.restarts;
  json["inner_format"] = o.inner_format;
  json["updates"] = r.updates;
  json["residual"] = r.residual;
  json["left_out"] = r.left_out;
  if (o.error >= 0) json["error"] = o.error;
  json["times"] = o.times;
  const bool iterated = o.an_iteration_s > 0, parts = o.product_s > 0;
  json["seconds_per_iteration"] = or_null(o.an_iteration_s, iterated);
  json["seconds_per_iteration_low"] = or_null(o.interval.low, iterated);
  json["seconds_per_iteration_high"] = or_null(o.interval.high, iterated);
  json["product_s"] = or_null(o.product_s, parts);
  json["sums_s"] = or_null(o.sums_s, parts);
  json["preconditioner_s"] = or_null(o.preconditioner_s, o.preconditioner_s > 0);
  json["preconditioner_parts"] = Json::array();
  for (const auto& [name, seconds] : o.preconditioner_parts)
    json["preconditioner_parts"].push_back({{"name", name}, {"seconds", seconds}});
  json["vectors_s"] = or_null(o.vectors_s(), parts);
  json["bytes"] = or_null(o.bytes, parts);
  json["bound_s"] = or_null(o.bound_s(), parts);
  json["limit"] = o.limit();
  json["history"] = r.history;
  json["columns"] = Json::array();
  for (const SolveResult& each : o.columns)
    json["columns"].push_back({{"stop", to_string(each.stop)},
                               {"reason", each.reason},
                               {"iterations", each.iterations},
                               {"residual", each.residual}});
  return json;
}

}  // namespace

void SolveOutlook::take(std::vector<SolveResult> results) {
  columns = std::move(results);
  result = *std::max_element(columns.begin(), columns.end(), [](const SolveResult& a, const SolveResult& b) {
    return a.history.size() < b.history.size();
  });
  const auto failed = std::find_if(columns.begin(), columns.end(),
                                   [](const SolveResult& each) { return each.stop != Stop::converged; });
  for (const SolveResult& each : columns) {
    result.residual = std::max(result.residual, each.residual);
    result.left_out = std::max(result.left_out, each.left_out);
  }
  if (failed == columns.end()) return;
  result.stop = failed->stop;
  result.reason = failed->reason;
  if (columns.size() > 1)
    result.reason = fmt::format("column {}: {}", failed - columns.begin() + 1, failed->reason);
}

const char* SolveOutlook::limit() const {
  if (product_s == 0) return "";
  constexpr double near_bound = 0.8;
  if (bound_s() >= near_bound * an_iteration_s) return "memory";
  const double product = product_s - product_bound_s, vectors = vectors_s() - vectors_bound_s;
  if (product >= std::max(vectors, sums_s)) return "product";
  return vectors >= sums_s ? "vectors" : "sums";
}

bool SolveReport::solved() const {
  return std::all_of(outlooks.begin(), outlooks.end(), [](const SolveOutlook& o) {
    return !o.refused.empty() || o.result.stop == Stop::converged;
  });
}

std::string to_text(const SolveReport& r) {
  std::string text = head_lines(r);
  text +=
      paragraph("system", fmt::format("preconditioner {}, tolerance {:.1e}", r.preconditioner, r.tolerance));
  text += "\n";
  const TimeUnit unit = unit_for(r);
  text += fmt::format("{:<12} {:<7} {:<11} {:>10} {:>6} {:>8} {:>8}  {}\n", "solver", "mode", "transport",
                      fmt::format("{} / iter.", unit.name()), "iter.", "residual", "error", "stop");
  for (const SolveOutlook& o : r.outlooks) text += row(o, unit);
  text += parts(r, unit);
  return text + end_lines(r, r.outlooks);
}

std::string to_json(const SolveReport& r) {
  Json json = head_json(r);
  json["preconditioner"] = r.preconditioner;
  json["tolerance"] = r.tolerance;
  json["solvers"] = Json::array();
  for (const SolveOutlook& o : r.outlooks) json["solvers"].push_back(outlook_json(o));
  return text_of(json, 1);
}

}  // namespace spmv
